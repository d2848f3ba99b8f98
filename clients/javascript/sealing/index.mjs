import sealing from "./index.js";

export const {
  FileProtectionError, FileWriter, Files, SealedReader, SealedWriter, Sealing, SealingError, fileProtectionInfo, keysOf,
  protectionInfo, protectionInfoOfText,
} = sealing;
export default sealing;
