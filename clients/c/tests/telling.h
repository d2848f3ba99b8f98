/* Says in JSON what the client made of a reply. To be read behind the client's source. */

static void write_fields(struct text *out, const struct member *members, int count, const void *structure) {
  for (int index = 0; index < count; index++) {
    const char *name = members[index].name, *place = (const char *)structure + members[index].offset;
    if (members[index].type == TEXT) write_member(out, name, *(const char *const *)place);
    if (members[index].type == TEXTS) write_list(out, name, *(const char *const *const *)place);
    if (members[index].type == TRUTH) write_truth(out, name, *(const bool *)place ? WVG_YES : WVG_NO);
    if (members[index].type == INTEGER) write_integer(out, name, *(const long long *)place);
  }
}

static void write_open(struct text *out, const wvg_open *open) {
  write_comma(out);
  text_words(out, "{");
  write_fields(out, open_members, OPEN_MEMBERS, open);
  write_name(out, "fallback");
  text_words(out, "[");
  for (size_t index = 0; index < open->fallback_count; index++) write_open(out, &open->fallbacks[index]);
  text_words(out, "]}");
}

static void write_decision(struct text *out, const wvg_decision *decision) {
  const wvg_open *now = wvg_opens_now(decision);
  write_comma(out);
  text_words(out, "{");
  write_member(out, "outcome", outcome_words[decision->outcome]);
  write_truth(out, "isLocal", decision->is_local ? WVG_YES : WVG_NO);
  write_truth(out, "hasLimit", decision->has_limit ? WVG_YES : WVG_NO);
  write_fields(out, decision_members, DECISION_MEMBERS, decision);
  write_member(out, "json", decision->json);
  write_member(out, "opensNow", now ? now->url : NULL);
  if (decision->open) write_name(out, "open");
  if (decision->open) write_open(out, decision->open);
  if (decision->advice) {
    write_name(out, "advice");
    text_words(out, "{");
    write_member(out, "outcome", outcome_words[decision->advice->outcome]);
    write_fields(out, advice_members, ADVICE_MEMBERS, decision->advice);
    text_words(out, "}");
  }
  text_words(out, "}");
}
