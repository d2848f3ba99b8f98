import webviewguard from "./index.js";

export const {
  AccountConfig, ConfigValues, Decision, Guard, GuardError, NewsItem, accountKey, complianceNumber, enrollmentNumber,
    mayWork,
  sameAccount, version,
} = webviewguard;
export default webviewguard;
