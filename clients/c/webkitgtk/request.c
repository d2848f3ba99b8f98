/* What a person is asked for. It is answered once; one that is let go unanswered is answered by nothing. */
#include "private.h"

struct _WvgWebKitRequest {
  GObject parent;
  WvgWebKitRequestKind kind;
  char *text, *folder;
  gboolean multiple;
  Answered *answered; /* NULL when it is answered. */
  gpointer data;
};

G_DEFINE_TYPE(WvgWebKitRequest, wvg_webkit_request, G_TYPE_OBJECT)

WvgWebKitRequest *request_new(
    WvgWebKitRequestKind kind, const char *text, gboolean multiple, Answered *answered, gpointer data) {
  WvgWebKitRequest *self = g_object_new(WVG_WEBKIT_TYPE_REQUEST, NULL);
  self->kind = kind;
  self->text = g_strdup(text);
  self->multiple = multiple;
  self->answered = answered;
  self->data = data;
  return self;
}

void request_set_folder(WvgWebKitRequest *request, const char *folder) {
  g_free(request->folder);
  request->folder = g_strdup(folder);
}

/**
 * wvg_webkit_request_get_kind:
 *
 * Returns: what is asked for
 */
WvgWebKitRequestKind wvg_webkit_request_get_kind(WvgWebKitRequest *self) { return self->kind; }

/**
 * wvg_webkit_request_get_text:
 *
 * Returns: the question to the person; of a place the suggested file name
 */
const char *wvg_webkit_request_get_text(WvgWebKitRequest *self) { return self->text; }

/**
 * wvg_webkit_request_get_multiple:
 *
 * Returns: whether several files may be chosen
 */
gboolean wvg_webkit_request_get_multiple(WvgWebKitRequest *self) { return self->multiple; }

/**
 * wvg_webkit_request_get_folder:
 *
 * Returns: (nullable): of a place the folder to begin with: where the account keeps its files
 */
const char *wvg_webkit_request_get_folder(WvgWebKitRequest *self) { return self->folder; }

/**
 * wvg_webkit_request_answer:
 * @values: (nullable) (array zero-terminated=1): the paths, or the words; %NULL when the person gave up
 *
 * Answers, once. The guard still judges the paths.
 */
void wvg_webkit_request_answer(WvgWebKitRequest *self, const char *const *values) {
  Answered *answered = g_steal_pointer(&self->answered);
  if (answered) answered(self->data, values && *values ? values : NULL);
}

static void finalize(GObject *object) {
  WvgWebKitRequest *self = WVG_WEBKIT_REQUEST(object);
  wvg_webkit_request_answer(self, NULL);
  g_free(self->text);
  g_free(self->folder);
  G_OBJECT_CLASS(wvg_webkit_request_parent_class)->finalize(object);
}

static void wvg_webkit_request_init(WvgWebKitRequest *self) { (void)self; }

static void wvg_webkit_request_class_init(WvgWebKitRequestClass *class) { G_OBJECT_CLASS(class)->finalize = finalize; }
