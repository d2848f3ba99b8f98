/* Made by make-words of the interface files, where words are changed and what each means is said. */
/* The words that calls take and answers have: `event.frame = WVG_FRAME_MAIN;` */
#ifndef WEBVIEWGUARD_WORDS_H
#define WEBVIEWGUARD_WORDS_H

/* Frame of org.webviewguard.Guard */
#define WVG_FRAME_UNKNOWN "unknown"
#define WVG_FRAME_MAIN "main"
#define WVG_FRAME_SUB "sub"
#define WVG_FRAME_RESOURCE "resource"

/* Gesture of org.webviewguard.Guard */
#define WVG_GESTURE_UNKNOWN "unknown"
#define WVG_GESTURE_NO "no"
#define WVG_GESTURE_YES "yes"

/* Selection of org.webviewguard.Guard */
#define WVG_SELECTION_UNKNOWN "unknown"
#define WVG_SELECTION_CLIPBOARD "clipboard"
#define WVG_SELECTION_PRIMARY "primary"
#define WVG_SELECTION_DRAG "drag"

/* Location of org.webviewguard.Guard */
#define WVG_LOCATION_OTHER "other"
#define WVG_LOCATION_ONE_DRIVE_FOR_BUSINESS "oneDriveForBusiness"
#define WVG_LOCATION_SHARE_POINT "sharePoint"
#define WVG_LOCATION_BOX "box"
#define WVG_LOCATION_DROPBOX "dropbox"
#define WVG_LOCATION_GOOGLE_DRIVE "googleDrive"
#define WVG_LOCATION_I_MANAGE "iManage"
#define WVG_LOCATION_EGNYTE "egnyte"
#define WVG_LOCATION_ACCOUNT_DOCUMENT "accountDocument"
#define WVG_LOCATION_LOCAL_STORAGE "localStorage"
#define WVG_LOCATION_PHOTO_LIBRARY "photoLibrary"
#define WVG_LOCATION_CAMERA "camera"

/* Channel of org.webviewguard.Guard */
#define WVG_CHANNEL_UNKNOWN "unknown"
#define WVG_CHANNEL_NATIVE_MESSAGING "nativeMessaging"
#define WVG_CHANNEL_ASSISTANT "assistant"
#define WVG_CHANNEL_AUTOMATION "automation"
#define WVG_CHANNEL_WRITING_TOOLS "writingTools"
#define WVG_CHANNEL_INPUT_METHOD "inputMethod"
#define WVG_CHANNEL_CONTACTS "contacts"
#define WVG_CHANNEL_WIDGETS "widgets"
#define WVG_CHANNEL_BACKUP "backup"

/* CaptureKind of org.webviewguard.Guard */
#define WVG_CAPTURE_KIND_UNKNOWN "unknown"
#define WVG_CAPTURE_KIND_SCREENSHOT "screenshot"
#define WVG_CAPTURE_KIND_RECORDING "recording"
#define WVG_CAPTURE_KIND_OWN_IMAGE "ownImage"

/* Inspection of org.webviewguard.Guard */
#define WVG_INSPECTION_NONE "none"
#define WVG_INSPECTION_PASSED "passed"
#define WVG_INSPECTION_BLOCKED "blocked"
#define WVG_INSPECTION_TOO_LARGE "tooLarge"
#define WVG_INSPECTION_OFFLINE "offline"
#define WVG_INSPECTION_CANCELLED "cancelled"

/* Surface of org.webviewguard.Guard */
#define WVG_SURFACE_CONTENT "content"
#define WVG_SURFACE_CHROME "chrome"

/* Note of org.webviewguard.Guard */
#define WVG_NOTE_UNKNOWN_OWNER "unknownOwner"
#define WVG_NOTE_UNKNOWN_LOCATION_ACCOUNT "unknownLocationAccount"
#define WVG_NOTE_UNKNOWN_PEER_ACCOUNT "unknownPeerAccount"
#define WVG_NOTE_UNKNOWN_PEER "unknownPeer"
#define WVG_NOTE_UNREADABLE_PATH "unreadablePath"
#define WVG_NOTE_UNKNOWN_LOCATION "unknownLocation"
#define WVG_NOTE_OTHER_LOCATION "otherLocation"
#define WVG_NOTE_ACCOUNT_IGNORED "accountIgnored"
#define WVG_NOTE_LOCAL_WITHOUT_ACCOUNT "localWithoutAccount"
#define WVG_NOTE_UNKNOWN_CHANNEL "unknownChannel"
#define WVG_NOTE_UNKNOWN_CAPTURE "unknownCapture"
#define WVG_NOTE_CANNOT_REDACT "cannotRedact"
#define WVG_NOTE_CANNOT_SWITCH "cannotSwitch"
#define WVG_NOTE_AFTER_ADVISED "afterAdvised"
#define WVG_NOTE_UNPROTECTED_VIEWER "unprotectedViewer"
#define WVG_NOTE_CANNOT_WARN "cannotWarn"
#define WVG_NOTE_CANNOT_WRAP "cannotWrap"
#define WVG_NOTE_CANNOT_STRIP "cannotStrip"
#define WVG_NOTE_EXTERNAL_RECEIVER "externalReceiver"
#define WVG_NOTE_NAMED_BY_RULE "namedByRule"

/* MonitorCause of org.webviewguard.Guard */
#define WVG_MONITOR_CAUSE_APP "app"
#define WVG_MONITOR_CAUSE_PROTECTION "protection"
#define WVG_MONITOR_CAUSE_RULE "rule"

/* Outcome of org.webviewguard.Guard */
#define WVG_OUTCOME_BLOCK "block"
#define WVG_OUTCOME_ALLOW "allow"
#define WVG_OUTCOME_WARN "warn"
#define WVG_OUTCOME_REDIRECT "redirect"
#define WVG_OUTCOME_HAND_OFF "handOff"
#define WVG_OUTCOME_REDACT "redact"
#define WVG_OUTCOME_SWITCH_IDENTITY "switchIdentity"

/* Reason of org.webviewguard.Guard */
#define WVG_REASON_NO_POLICY "noPolicy"
#define WVG_REASON_UNKNOWN_APP "unknownApp"
#define WVG_REASON_UNKNOWN_EVENT "unknownEvent"
#define WVG_REASON_NO_IDENTITY "noIdentity"
#define WVG_REASON_NO_MANAGED_IDENTITY "noManagedIdentity"
#define WVG_REASON_UNMANAGED "unmanaged"
#define WVG_REASON_ACCOUNT_BLOCKED "accountBlocked"
#define WVG_REASON_ACCOUNT_NOT_COMPLIANT "accountNotCompliant"
#define WVG_REASON_ACCOUNT_WIPED "accountWiped"
#define WVG_REASON_POLICY_REQUIRED "policyRequired"
#define WVG_REASON_ACCOUNT_NOT_ALLOWED "accountNotAllowed"
#define WVG_REASON_NOT_CHECKED "notChecked"
#define WVG_REASON_LOCKED "locked"
#define WVG_REASON_INVALID_URL "invalidURL"
#define WVG_REASON_SAME_DOCUMENT "sameDocument"
#define WVG_REASON_HANDLED_IN_VIEWER "handledInViewer"
#define WVG_REASON_SUB_FRAME "subFrame"
#define WVG_REASON_RESOURCE "resource"
#define WVG_REASON_POPUP_BLOCKED "popupBlocked"
#define WVG_REASON_NO_RULES "noRules"
#define WVG_REASON_INTERNAL "internal"
#define WVG_REASON_EXCEPTION "exception"
#define WVG_REASON_EXTERNAL "external"
#define WVG_REASON_EXTERNAL_IN_PLACE "externalInPlace"
#define WVG_REASON_EXTERNAL_BLOCKED "externalBlocked"
#define WVG_REASON_BLOCKED_BY_RULE "blockedByRule"
#define WVG_REASON_EXEMPT_LINK "exemptLink"
#define WVG_REASON_MANAGED_LINK "managedLink"
#define WVG_REASON_MANAGED_BROWSER_UNAVAILABLE "managedBrowserUnavailable"
#define WVG_REASON_IS_MANAGED_BROWSER "isManagedBrowser"
#define WVG_REASON_SEND_ANY "sendAny"
#define WVG_REASON_SCHEME_CLASS_ALLOWED "schemeClassAllowed"
#define WVG_REASON_SCHEME_CLASS_BLOCKED "schemeClassBlocked"
#define WVG_REASON_EXEMPT_SCHEME "exemptScheme"
#define WVG_REASON_MANAGED_SCHEME "managedScheme"
#define WVG_REASON_HAND_OFF_BLOCKED "handOffBlocked"
#define WVG_REASON_CLIP_RECORDED "clipRecorded"
#define WVG_REASON_SAME_ACCOUNT "sameAccount"
#define WVG_REASON_CLIPBOARD_ALLOWED "clipboardAllowed"
#define WVG_REASON_WITHIN_LIMIT "withinLimit"
#define WVG_REASON_ORG_DATA "orgData"
#define WVG_REASON_ORG_DATA_OVER_LIMIT "orgDataOverLimit"
#define WVG_REASON_INCOMING_RESTRICTED "incomingRestricted"
#define WVG_REASON_PERSONAL_DATA_OVER_LIMIT "personalDataOverLimit"
#define WVG_REASON_UPLOAD_BLOCKED_VIEWER "uploadBlockedViewer"
#define WVG_REASON_OWNER_UNKNOWN "ownerUnknown"
#define WVG_REASON_CHANGE_RECORDED "changeRecorded"
#define WVG_REASON_IN_PLACE "inPlace"
#define WVG_REASON_TRANSFER_ALLOWED "transferAllowed"
#define WVG_REASON_LOCATION_ALLOWED "locationAllowed"
#define WVG_REASON_OUTGOING_RESTRICTED "outgoingRestricted"
#define WVG_REASON_OUTGOING_DISALLOWED "outgoingDisallowed"
#define WVG_REASON_INCOMING_DISALLOWED "incomingDisallowed"
#define WVG_REASON_WRONG_ACCOUNT "wrongAccount"
#define WVG_REASON_UNKNOWN_ACCOUNT "unknownAccount"
#define WVG_REASON_SAVE_LOCATION_NOT_LISTED "saveLocationNotListed"
#define WVG_REASON_OPEN_LOCATION_NOT_LISTED "openLocationNotListed"
#define WVG_REASON_DOWNLOAD_BLOCKED "downloadBlocked"
#define WVG_REASON_SHARE_BLOCKED "shareBlocked"
#define WVG_REASON_WEB_TRANSFER_ANY "webTransferAny"
#define WVG_REASON_STORE_LINK_BLOCKED "storeLinkBlocked"
#define WVG_REASON_PRINT_ALLOWED "printAllowed"
#define WVG_REASON_PRINT_BLOCKED "printBlocked"
#define WVG_REASON_CAPTURE_ALLOWED "captureAllowed"
#define WVG_REASON_CAPTURE_BLOCKED "captureBlocked"
#define WVG_REASON_CAPTURE_OWN_IMAGE "captureOwnImage"
#define WVG_REASON_NOTIFICATION_ALLOWED "notificationAllowed"
#define WVG_REASON_NOTIFICATION_REDACTED "notificationRedacted"
#define WVG_REASON_NOTIFICATION_BLOCKED "notificationBlocked"
#define WVG_REASON_INDEX_ALLOWED "indexAllowed"
#define WVG_REASON_INDEX_BLOCKED "indexBlocked"
#define WVG_REASON_CHANNEL_ALLOWED "channelAllowed"
#define WVG_REASON_CHANNEL_BLOCKED "channelBlocked"
#define WVG_REASON_SCAN_REQUIRED "scanRequired"
#define WVG_REASON_SCAN_BLOCKED "scanBlocked"
#define WVG_REASON_SCAN_TOO_LARGE "scanTooLarge"
#define WVG_REASON_SCAN_OFFLINE "scanOffline"
#define WVG_REASON_SCAN_CANCELLED "scanCancelled"
#define WVG_REASON_MONITORED "monitored"
#define WVG_REASON_MIXED_VIEW_LOCKDOWN "mixedViewLockdown"
#define WVG_REASON_IDENTITY_SWITCH_NEEDED "identitySwitchNeeded"
#define WVG_REASON_IDENTITY_SWITCH_FAILED "identitySwitchFailed"

/* WebViewPolicy of org.webviewguard.Guard */
#define WVG_WEB_VIEW_POLICY_UNSET "unset"
#define WVG_WEB_VIEW_POLICY_UNMANAGED "unmanaged"
#define WVG_WEB_VIEW_POLICY_CURRENT_IDENTITY "currentIdentity"
#define WVG_WEB_VIEW_POLICY_CURRENT_IDENTITY_BLOCK_UPLOAD "currentIdentityBlockUpload"

/* PolicySource of org.webviewguard.Guard */
#define WVG_POLICY_SOURCE_UNKNOWN_VIEWER "unknownViewer"
#define WVG_POLICY_SOURCE_CLASS "class"
#define WVG_POLICY_SOURCE_KIND "kind"
#define WVG_POLICY_SOURCE_OWN_TAG "ownTag"
#define WVG_POLICY_SOURCE_ANCESTOR "ancestor"
#define WVG_POLICY_SOURCE_OPENER "opener"
#define WVG_POLICY_SOURCE_FLAG "flag"
#define WVG_POLICY_SOURCE_DEFAULT "default"

/* IdentityLevel of org.webviewguard.Guard */
#define WVG_IDENTITY_LEVEL_NONE "none"
#define WVG_IDENTITY_LEVEL_VIEWER "viewer"
#define WVG_IDENTITY_LEVEL_SCOPE "scope"
#define WVG_IDENTITY_LEVEL_WINDOW "window"
#define WVG_IDENTITY_LEVEL_PROCESS "process"
#define WVG_IDENTITY_LEVEL_STRICTEST "strictest"

/* Verdict of org.webviewguard.Guard */
#define WVG_VERDICT_EXTERNAL "external"
#define WVG_VERDICT_INTERNAL "internal"

/* OpenTarget of org.webviewguard.Guard */
#define WVG_OPEN_TARGET_MANAGED_BROWSER "managedBrowser"
#define WVG_OPEN_TARGET_UNMANAGED_BROWSER "unmanagedBrowser"
#define WVG_OPEN_TARGET_EXEMPT_LINK "exemptLink"
#define WVG_OPEN_TARGET_MANAGED_LINK "managedLink"
#define WVG_OPEN_TARGET_SCHEME_HANDLER "schemeHandler"

/* Mode of org.webviewguard.Guard */
#define WVG_MODE_ENFORCED "enforced"
#define WVG_MODE_MONITORED "monitored"

/* ViewerKind of org.webviewguard.Guard */
#define WVG_VIEWER_KIND_EMBEDDED "embedded"
#define WVG_VIEWER_KIND_CONTAINER "container"
#define WVG_VIEWER_KIND_WINDOW "window"
#define WVG_VIEWER_KIND_POPUP "popup"
#define WVG_VIEWER_KIND_AUTH "auth"
#define WVG_VIEWER_KIND_EPHEMERAL "ephemeral"

/* IdentityTarget of org.webviewguard.Guard */
#define WVG_IDENTITY_TARGET_PROCESS "process"
#define WVG_IDENTITY_TARGET_WINDOW "window"
#define WVG_IDENTITY_TARGET_SCOPE "scope"

/* FailureAnswer of org.webviewguard.Guard */
#define WVG_FAILURE_ANSWER_CLOSED "closed"
#define WVG_FAILURE_ANSWER_OPEN "open"

/* PlaceQuestion of org.webviewguard.Guard */
#define WVG_PLACE_QUESTION_SAVE "save"
#define WVG_PLACE_QUESTION_OPEN "open"

/* SwitchResult of org.webviewguard.Guard */
#define WVG_SWITCH_RESULT_SUCCESS "success"
#define WVG_SWITCH_RESULT_CANCELED "canceled"
#define WVG_SWITCH_RESULT_NOT_ALLOWED "notAllowed"
#define WVG_SWITCH_RESULT_FAILED "failed"

/* SwitchCause of org.webviewguard.Guard */
#define WVG_SWITCH_CAUSE_OPEN_URL "openURL"
#define WVG_SWITCH_CAUSE_CANCEL_CONDITIONAL_LAUNCH "cancelConditionalLaunch"
#define WVG_SWITCH_CAUSE_DOCUMENT_IMPORT "documentImport"

/* UnlockResult of org.webviewguard.Guard */
#define WVG_UNLOCK_RESULT_UNLOCKED "unlocked"
#define WVG_UNLOCK_RESULT_DISMISSED "dismissed"
#define WVG_UNLOCK_RESULT_REFUSED "refused"
#define WVG_UNLOCK_RESULT_NO_AGENT "noAgent"
#define WVG_UNLOCK_RESULT_NO_CHALLENGE "noChallenge"
#define WVG_UNLOCK_RESULT_TIMED_OUT "timedOut"
#define WVG_UNLOCK_RESULT_SERVICE_FAILURE "serviceFailure"

/* AccountState of org.webviewguard.Guard */
#define WVG_ACCOUNT_STATE_ACTIVE "active"
#define WVG_ACCOUNT_STATE_BLOCKED "blocked"
#define WVG_ACCOUNT_STATE_NON_COMPLIANT "nonCompliant"
#define WVG_ACCOUNT_STATE_WIPED "wiped"
#define WVG_ACCOUNT_STATE_POLICY_REQUIRED "policyRequired"
#define WVG_ACCOUNT_STATE_NOT_ALLOWED "notAllowed"
#define WVG_ACCOUNT_STATE_NOT_CHECKED "notChecked"
#define WVG_ACCOUNT_STATE_LOCKED "locked"

/* EventKind of org.webviewguard.Guard */
#define WVG_EVENT_KIND_NAVIGATE "navigate"
#define WVG_EVENT_KIND_COPY "copy"
#define WVG_EVENT_KIND_PASTE "paste"
#define WVG_EVENT_KIND_CLIPBOARD_CHANGED "clipboardChanged"
#define WVG_EVENT_KIND_DRAG_END "dragEnd"
#define WVG_EVENT_KIND_DOWNLOAD "download"
#define WVG_EVENT_KIND_UPLOAD "upload"
#define WVG_EVENT_KIND_SAVE "save"
#define WVG_EVENT_KIND_OPEN "open"
#define WVG_EVENT_KIND_RECEIVE "receive"
#define WVG_EVENT_KIND_SHARE "share"
#define WVG_EVENT_KIND_PRINT "print"
#define WVG_EVENT_KIND_CAPTURE "capture"
#define WVG_EVENT_KIND_NOTIFY "notify"
#define WVG_EVENT_KIND_OPEN_URL "openURL"
#define WVG_EVENT_KIND_EXCHANGE "exchange"
#define WVG_EVENT_KIND_INDEX "index"

/* Topic of org.webviewguard.Guard */
#define WVG_TOPIC_POLICY "policy"
#define WVG_TOPIC_ACCOUNT "account"
#define WVG_TOPIC_IDENTITY "identity"
#define WVG_TOPIC_ENROLLMENT "enrollment"
#define WVG_TOPIC_ALLOWED_ACCOUNTS "allowedAccounts"
#define WVG_TOPIC_CONFIG "config"
#define WVG_TOPIC_WIPE "wipe"
#define WVG_TOPIC_COMPLIANCE "compliance"
#define WVG_TOPIC_RESTART "restart"
#define WVG_TOPIC_DATA_PROTECTION "dataProtection"

/* RestartCause of org.webviewguard.Guard */
#define WVG_RESTART_CAUSE_STATIC_RULES "staticRules"
#define WVG_RESTART_CAUSE_FIXED_ACCOUNT "fixedAccount"
#define WVG_RESTART_CAUSE_ACCOUNT_MUST_GO "accountMustGo"

/* Limit of org.webviewguard.Guard */
#define WVG_LIMIT_CONNECTIONS "connections"
#define WVG_LIMIT_INSTANCES "instances"
#define WVG_LIMIT_VIEWERS "viewers"
#define WVG_LIMIT_WINDOWS "windows"
#define WVG_LIMIT_PIPELINED_CALLS "pipelinedCalls"
#define WVG_LIMIT_MESSAGE_BYTES "messageBytes"
#define WVG_LIMIT_MESSAGE_MS "messageMs"
#define WVG_LIMIT_NAME_BYTES "nameBytes"
#define WVG_LIMIT_ACCOUNTS "accounts"
#define WVG_LIMIT_NESTING "nesting"
#define WVG_LIMIT_QUESTIONS "questions"
#define WVG_LIMIT_PATH_BYTES "pathBytes"
#define WVG_LIMIT_JUSTIFICATION_BYTES "justificationBytes"
#define WVG_LIMIT_MEMORY_BYTES "memoryBytes"
#define WVG_LIMIT_LOG_BYTES "logBytes"
#define WVG_LIMIT_FILES "files"

/* LifeState of org.webviewguard.Accounts */
#define WVG_LIFE_STATE_UNKNOWN "unknown"
#define WVG_LIFE_STATE_UNMANAGED "unmanaged"
#define WVG_LIFE_STATE_REGISTERED "registered"
#define WVG_LIFE_STATE_ENROLLED "enrolled"
#define WVG_LIFE_STATE_SUSPENDED "suspended"
#define WVG_LIFE_STATE_BLOCKED "blocked"
#define WVG_LIFE_STATE_NON_COMPLIANT "nonCompliant"
#define WVG_LIFE_STATE_POLICY_REQUIRED "policyRequired"
#define WVG_LIFE_STATE_NOT_ALLOWED "notAllowed"
#define WVG_LIFE_STATE_NOT_CHECKED "notChecked"
#define WVG_LIFE_STATE_LOCKED "locked"
#define WVG_LIFE_STATE_WIPE_PENDING "wipePending"
#define WVG_LIFE_STATE_WIPED "wiped"

/* EnrollmentResult of org.webviewguard.Accounts */
#define WVG_ENROLLMENT_RESULT_NEW_POLICIES "newPolicies"
#define WVG_ENROLLMENT_RESULT_UNCHANGED "unchanged"
#define WVG_ENROLLMENT_RESULT_WIPE_RECEIVED "wipeReceived"
#define WVG_ENROLLMENT_RESULT_NO_POLICY "noPolicy"
#define WVG_ENROLLMENT_RESULT_UNENROLLED "unenrolled"
#define WVG_ENROLLMENT_RESULT_INTERNAL_ERROR "internalError"
#define WVG_ENROLLMENT_RESULT_UNREADABLE_POLICY "unreadablePolicy"
#define WVG_ENROLLMENT_RESULT_NO_ACCOUNT "noAccount"
#define WVG_ENROLLMENT_RESULT_ALREADY_ENROLLED "alreadyEnrolled"
#define WVG_ENROLLMENT_RESULT_NOT_ORGANIZATION_ACCOUNT "notOrganizationAccount"
#define WVG_ENROLLMENT_RESULT_OTHER_USER "otherUser"
#define WVG_ENROLLMENT_RESULT_NOT_SIGNED_IN "notSignedIn"
#define WVG_ENROLLMENT_RESULT_NOT_ENROLLED "notEnrolled"
#define WVG_ENROLLMENT_RESULT_NOT_ENROLLED_ACCOUNT "notEnrolledAccount"
#define WVG_ENROLLMENT_RESULT_CLEAR_FAILED "clearFailed"
#define WVG_ENROLLMENT_RESULT_NOT_CHECKED "notChecked"
#define WVG_ENROLLMENT_RESULT_UNSUPPORTED "unsupported"
#define WVG_ENROLLMENT_RESULT_NOT_TARGETED "notTargeted"
#define WVG_ENROLLMENT_RESULT_BLOCKED "blocked"
#define WVG_ENROLLMENT_RESULT_SINGLE_ACCOUNT "singleAccount"

/* ComplianceStatus of org.webviewguard.Accounts */
#define WVG_COMPLIANCE_STATUS_COMPLIANT "compliant"
#define WVG_COMPLIANCE_STATUS_NOT_COMPLIANT "notCompliant"
#define WVG_COMPLIANCE_STATUS_SERVICE_FAILURE "serviceFailure"
#define WVG_COMPLIANCE_STATUS_NETWORK_FAILURE "networkFailure"
#define WVG_COMPLIANCE_STATUS_INTERACTION_REQUIRED "interactionRequired"
#define WVG_COMPLIANCE_STATUS_USER_CANCELLED "userCancelled"

/* DataFate of org.webviewguard.Accounts */
#define WVG_DATA_FATE_KEEP "keep"
#define WVG_DATA_FATE_REMOVE "remove"

/* RequestResult of org.webviewguard.Accounts */
#define WVG_REQUEST_RESULT_DONE "done"
#define WVG_REQUEST_RESULT_REFUSED "refused"
#define WVG_REQUEST_RESULT_FAILED "failed"

/* AccountSource of org.webviewguard.Accounts */
#define WVG_ACCOUNT_SOURCE_USER "user"
#define WVG_ACCOUNT_SOURCE_BROKER "broker"
#define WVG_ACCOUNT_SOURCE_APP "app"

/* DataKeyUse of org.webviewguard.Accounts */
#define WVG_DATA_KEY_USE_WRITE "write"
#define WVG_DATA_KEY_USE_READ "read"

/* FileEncryption of org.webviewguard.Accounts */
#define WVG_FILE_ENCRYPTION_NONE "none"
#define WVG_FILE_ENCRYPTION_ENVELOPE "envelope"
#define WVG_FILE_ENCRYPTION_FSCRYPT "fscrypt"
#define WVG_FILE_ENCRYPTION_GOCRYPTFS "gocryptfs"
#define WVG_FILE_ENCRYPTION_VOLUME "volume"

/* FileStanding of org.webviewguard.Accounts */
#define WVG_FILE_STANDING_UNKNOWN "unknown"
#define WVG_FILE_STANDING_UNMANAGED "unmanaged"
#define WVG_FILE_STANDING_MINE "mine"
#define WVG_FILE_STANDING_MANAGED "managed"

/* LabelStore of org.webviewguard.Accounts */
#define WVG_LABEL_STORE_ATTRIBUTE "attribute"
#define WVG_LABEL_STORE_TABLE "table"
#define WVG_LABEL_STORE_NONE "none"

/* DirectoryState of org.webviewguard.Accounts */
#define WVG_DIRECTORY_STATE_NONE "none"
#define WVG_DIRECTORY_STATE_OPENING "opening"
#define WVG_DIRECTORY_STATE_OPEN "open"
#define WVG_DIRECTORY_STATE_FAILED "failed"

#endif
