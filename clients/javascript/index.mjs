import webviewguard from "./index.js";

export const {
  AccountConfig, ConfigValues, Decision, Guard, GuardError, NewsItem, accountKey, complianceNumber, enrollmentNumber,
    mayWork,
  sameAccount, signInCredential, version,
} = webviewguard;
export default webviewguard;
