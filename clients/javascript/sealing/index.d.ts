import { Guard } from "webviewguard";

export type Bytes = Uint8Array | ArrayBuffer;
export type ByteSource = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
export type SealingReason = "" | "damaged" | "newer" | "noKey" | "tooLong";
export type FileStanding = "unknown" | "mine" | "managed" | "unmanaged";

/** Data could not be sealed or unsealed, by the number of Microsoft's SDK; `word` is its name. */
export class SealingError extends Error {
  constructor(code: 100 | 101 | 102 | 103 | 104 | 105, reason?: SealingReason, text?: string);
  readonly code: 100 | 101 | 102 | 103 | 104 | 105;
  readonly reason: SealingReason;
  readonly word: string;
}

/** A file's owner could not be read, set or kept. 102: the file was not written. */
export class FileProtectionError extends Error {
  constructor(code: number, text?: string);
  readonly code: 100 | 101 | 102 | 103 | 104 | 105 | 106 | 107;
  readonly word: string;
}

/** Ids are lower-case hexadecimal digits. */
export interface ProtectionInfo {
  readonly isSealed: boolean;
  /** The name of the owner of unmanaged data, empty for nobody; null for sealed data. */
  readonly account: string | null;
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly objectId: string | null;
}

export interface KeyRequest {
  readonly use: "write" | "read";
  /** The account's name to write; to read the account id of the header. */
  readonly account: string;
  readonly objectId: string;
  readonly keyId: string | null;
}
export interface DataKey {
  /** 32 bytes, which are overwritten when they were used. */
  readonly key: Buffer;
  readonly keyId: string;
  readonly accountId: string;
}
/** Null to write: the account is not managed. Null to read: there is no key any more. */
export type KeySource = (request: KeyRequest) => Promise<DataKey | null>;
/** The daemon as a source of keys. */
export function keysOf(guard: Guard): KeySource;

/** Seals and unseals bytes, texts, streams and files. */
export class Sealing {
  constructor(keys: Guard | KeySource);
  protect(data: Bytes, account: string): Promise<Buffer>;
  /** Bytes that are no envelope come back unchanged; a damaged envelope is error 103. */
  unprotect(data: Bytes): Promise<Buffer>;
  protectText(text: string, account: string): Promise<string>;
  unprotectText(text: string): Promise<string>;
  /** `put` promises when the bytes are written. */
  writer(put: (bytes: Buffer) => unknown, account: string): Promise<SealedWriter>;
  sealed(source: ByteSource, account: string): AsyncIterableIterator<Buffer>;
  /** Do not act on the data before the iteration has ended: only its end says that nothing is missing. */
  unsealed(source: ByteSource): AsyncIterableIterator<Buffer>;
  create(path: string, account: string): Promise<FileWriter>;
  open(path: string): Promise<SealedReader>;
  reader(data: Bytes): Promise<SealedReader>;
}

export class SealedWriter {
  private constructor();
  write(data: Bytes): Promise<void>;
  /** Without it the envelope is damaged. */
  finish(): Promise<void>;
  abandon(): void;
}

/** A file that appears at its place with `finish`, whole or not at all. */
export class FileWriter {
  private constructor();
  readonly isSealed: boolean;
  write(data: Bytes): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** Reads an envelope at any place; the iteration gives all of it. */
export class SealedReader implements AsyncIterable<Buffer> {
  private constructor();
  readonly size: number;
  readonly info: ProtectionInfo;
  read(place: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
  [Symbol.asyncIterator](): AsyncIterator<Buffer>;
}

/** Whose data is, by its header: a claim. Null for what is no envelope. */
export function protectionInfo(data: Bytes): ProtectionInfo | null;
export function protectionInfoOfText(text: string): ProtectionInfo | null;
export function fileProtectionInfo(path: string): Promise<ProtectionInfo | null>;

export interface FileOwner {
  readonly standing: FileStanding;
  readonly account: string | null;
  readonly mustEncrypt: boolean;
  readonly isManaged: boolean;
}
export interface Incoming {
  /** Where the file is to be written. */
  readonly path: string;
  readonly isSealed: boolean;
  /** Says where a file of `incomingSync` goes, and whose it is. */
  belongsTo(path: string, account: string): Promise<void>;
  keep(): Promise<void>;
  discard(): Promise<void>;
}
export interface Readable {
  readonly path: string;
  readonly isSealed: boolean;
  readonly facts: { readonly label?: string };
  close(): Promise<void>;
}

/** Files that know their owner: what the organisation owns is sealed, since Node keeps no labels. */
export class Files {
  constructor(guard: Guard);
  save(path: string, options?: { account?: string | null }): Promise<FileWriter>;
  incoming(path: string, options?: { account?: string | null; size?: number | null }): Promise<Incoming>;
  /** At once; `belongsTo` has to follow before `keep`. */
  incomingSync(name: string, options?: { size?: number | null }): Incoming;
  /** For `webviewguard/electron`: seals what Electron downloads. */
  download(item: any, owner: string, chosen: () => Promise<string | null>): void;
  readable(path: string): Promise<Readable>;
  facts(path: string): Promise<{ readonly label?: string }>;
  /** Null for what is not sealed: it may have a label that Node cannot read. */
  getOwner(path: string): Promise<FileOwner | null>;
  clearLeftovers(): void;
}
