"use strict";

const http = require("http");

/**
 * A site of many hosts on loopback; `heard` are the requests that arrived, as `GET host/path` with the length of a
 * body.
 */
class Site {
  constructor() {
    this.heard = [];
    this._server = http.createServer((request, response) => this._answer(request, response));
    this._server.on("upgrade", (request, socket) => {
      this._note(request);
      socket.destroy();
    });
  }

  listen() {
    return new Promise((resolve) => this._server.listen(0, "127.0.0.1", () => {
      this.port = this._server.address().port;
      resolve(this);
    }));
  }

  close() {
    return new Promise((resolve) => this._server.close(resolve));
  }

  /** What arrived at a host. */
  at(host) {
    return this.heard.filter((line) => line.split(" ")[1].startsWith(`${host}/`));
  }

  url(host, path = "/") {
    return `http://${host}:${this.port}${path}`;
  }

  _note(request) {
    const host = request.headers.host.split(":")[0];
    this.heard.push(`${request.method} ${host}${request.url}`);
  }

  _answer(request, response) {
    this._note(request);
    request.resume();
    const { pathname, searchParams } = new URL(request.url, "http://x");
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (pathname === "/hop") {
      response.writeHead(Number(searchParams.get("status") || 302), { Location: searchParams.get("to") });
      response.end();
    } else if (pathname === "/worker.js") {
      response.writeHead(200, { "Content-Type": "text/javascript" });
      response.end(searchParams.get("body"));
    } else if (pathname === "/file.bin") {
      const name = searchParams.get("name");
      const kind = name === null ? "attachment" : `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
      response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Disposition": kind });
      response.end("secret");
    } else {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><title>${pathname}</title><body>${searchParams.get("body") || "page"}</body>`);
    }
  }
}

module.exports = { Site };
