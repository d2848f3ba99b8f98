"""Asks the webviewguard daemon before a web view does something.

    guard = Guard(app="com.contoso.portal")
    guard.start()
    guard.set_identity("process", account="work@contoso.com")
    guard.register_viewer("v1", viewer_class="documents")
    guard.navigate(viewer="v1", url="https://example.net/", frame="main").allowed
"""

from __future__ import annotations

from webviewguard._accounts import AccountDirectory, AccountList, Accounts, AccountStatus, AllowedAccounts, ListedAccount, SignIn
from webviewguard._calls import Identity, MissingFeature, Viewer
from webviewguard._config import AccountConfig, ConfigLayer, ConfigValues
from webviewguard._contract import Contract
from webviewguard._decision import Advice, Decision, OpenOffer
from webviewguard._event import Event
from webviewguard._guard import Guard
from webviewguard._ids import account_key, same_account
from webviewguard._listening import Handlers, Listening
from webviewguard._news import News, NewsItem
from webviewguard._notice import NoticeAction, NoticeKind, Organization, notice, notice_code, notice_kind, notice_sentence
from webviewguard._notice_text import download_name
from webviewguard._results import compliance_number, enrollment_number, may_work
from webviewguard._rules import RuleFormat, Rules
from webviewguard._sign_in import Credential, sign_in_credential
from webviewguard._version import VERSION as __version__
from webviewguard._words import EventKind, Outcome
from webviewguard._words import Feature as Features
from webviewguard.errors import GuardError, SealingError
from webviewguard.sealing import DataKey, ProtectionInfo, SealedReader, SealedWriter, Sealing, protection_info

__all__ = [
    "AccountConfig",
    "AccountList",
    "AccountStatus",
    "Accounts",
    "Advice",
    "AccountDirectory",
    "AllowedAccounts",
    "ConfigLayer",
    "ConfigValues",
    "Contract",
    "Credential",
    "DataKey",
    "Decision",
    "Event",
    "EventKind",
    "Features",
    "Guard",
    "GuardError",
    "Handlers",
    "Identity",
    "ListedAccount",
    "Listening",
    "MissingFeature",
    "News",
    "NewsItem",
    "NoticeAction",
    "NoticeKind",
    "OpenOffer",
    "Organization",
    "Outcome",
    "ProtectionInfo",
    "RuleFormat",
    "Rules",
    "SealedReader",
    "SealedWriter",
    "Sealing",
    "SealingError",
    "SignIn",
    "Viewer",
    "__version__",
    "account_key",
    "compliance_number",
    "download_name",
    "enrollment_number",
    "may_work",
    "notice",
    "notice_code",
    "notice_kind",
    "notice_sentence",
    "protection_info",
    "same_account",
    "sign_in_credential",
]
