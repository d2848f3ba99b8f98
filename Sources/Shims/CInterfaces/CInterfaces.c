#include "CInterfaces.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t service[] = {
#embed "../../GuardProtocol/Interfaces/org.varlink.service.varlink"
};
static const uint8_t guard[] = {
#embed "../../GuardProtocol/Interfaces/org.webviewguard.Guard.varlink"
};
static const uint8_t accounts[] = {
#embed "../../GuardProtocol/Interfaces/org.webviewguard.Accounts.varlink"
};
static const uint8_t rules[] = {
#embed "../../GuardProtocol/Interfaces/org.webviewguard.Rules.varlink"
};
static const uint8_t admin[] = {
#embed "../../GuardProtocol/Interfaces/org.webviewguard.Admin.varlink"
};

struct cinterfaces_file cinterfaces_service(void) { return (struct cinterfaces_file){service, sizeof service}; }
struct cinterfaces_file cinterfaces_guard(void) { return (struct cinterfaces_file){guard, sizeof guard}; }
struct cinterfaces_file cinterfaces_accounts(void) { return (struct cinterfaces_file){accounts, sizeof accounts}; }
struct cinterfaces_file cinterfaces_rules(void) { return (struct cinterfaces_file){rules, sizeof rules}; }
struct cinterfaces_file cinterfaces_admin(void) { return (struct cinterfaces_file){admin, sizeof admin}; }
