#!/bin/sh
# Discovery script of a custom compliance policy (Microsoft Intune, himmelblau): one JSON object, whatever is wrong.
# The rules beside it, webviewguard-rules.json, say which values are compliant.
program=${WEBVIEWGUARD:-/usr/bin/webviewguard}

if facts=$(timeout 10 "$program" compliance 2>/dev/null) && [ -n "$facts" ]; then
  printf '%s\n' "$facts"
else
  # Not installed, or it cannot start: the worst of every member, so that each rule fails and none is an error.
  printf '%s%s%s\n' '{"guardHealthy":false,"guardHealth":"missing","guardProblems":"","guardVersion":"0.0",' \
    '"guardsLoaded":0,"policyEnforced":false,"policyDigest":"","policyAgeHours":999999,' \
    '"policyCheckedIn":"1970-01-01T00:00:00.000Z","logSound":false}'
fi
