// What the examples use of Node and Electron, whose own types no Debian package has for each Node; and the names that
// an example leaves to its reader.

declare class Buffer extends Uint8Array {}
declare const console: { log(...values: unknown[]): void };
declare const process: { argv: string[] };

declare module "electron" {
  export const app: any;
  export const dialog: { showErrorBox(title: string, content: string): void };
  export class BrowserWindow {
    constructor(options: object);
    loadURL(url: string): Promise<void>;
  }
}
declare module "stream" {
  export class Readable {
    static from(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Readable;
  }
}
declare module "stream/promises" {
  export function pipeline(source: unknown, target: unknown): Promise<void>;
}

declare const guard: import("webviewguard").Guard;
declare const decision: import("webviewguard").Decision;
declare const news: import("webviewguard").NewsItem;
declare const bytes: Uint8Array;
declare const source: AsyncIterable<Uint8Array>;
declare const target: object;
declare const viewer: string;
declare const url: string;
declare const DIGEST: string;
declare function show(text: string | null): void;
declare function showState(account: string | null, state: string | null): void;
declare function change(request: string | null, account: string | null, window: string | null): void;
declare function readEverythingAgain(): void;
declare function log(topic: string, raw: object | null): void;
