"use strict";

// What the app said about its viewers and identities, to be said again on each new connection.

/** Keeps the latest word on everything, in the order in which viewers were registered. Words are those of the wire. */
class Said {
  constructor() {
    this._viewers = new Map();
    // Those that were forgotten, but in which others lie or which opened others; the service keeps them as well.
    this._all = [];
    // Forgotten without an answer: a service that was only out of reach may still have them.
    this._forgotten = new Set();
    this._identities = new Map();
  }

  /** Takes note of a call that the service did not refuse; `delivered` when it is known to have heard it. */
  apply(method, parameters, delivered) {
    const said = present(parameters);
    const viewer = this._viewers.get(said.viewer);
    if (method === "RegisterViewer") this._register(said);
    else if (method === "SetIdentity") this._setIdentity(said, delivered);
    else if (method === "ForgetViewer") this._forget(said.viewer, delivered);
    else if (viewer !== undefined) change(viewer, method, said);
  }

  /** Everything, as calls `[method, parameters]` in the order in which the service needs them. */
  frames() {
    const identities = (level) => [...this._identities.values()]
      .filter((said) => said.level === level).map((said) => ["SetIdentity", said]);
    return [
      ...identities("process"),
      ...[...this._forgotten].map((viewer) => ["ForgetViewer", { viewer }]),
      ...new Replay(this._all, this._viewers).frames(),
      ...identities("window"),
      ...identities("scope"),
    ];
  }

  /** The service has heard one of `frames` again, so what is only kept until then may go. */
  replayed(method, parameters) {
    if (method === "ForgetViewer") this._forgotten.delete(parameters.viewer);
    else if (method === "SetIdentity" && this._identities.get(identityKey(parameters)) === parameters) {
      this._setIdentity({ ...parameters }, true);
    }
  }

  /** A switch that nobody answered did not come about for the app, and may not have for the service. */
  takeBack(identity) {
    const said = present({ level: identity.level, window: identity.window });
    if (!this._identities.has(identityKey(said))) this._identities.set(identityKey(said), said);
  }

  /** The service does not know this client any more, so there is nothing to be taken back there. */
  beginAnew() {
    this._forgotten.clear();
    for (const [key, said] of [...this._identities]) if (!states(said)) this._identities.delete(key);
  }

  /** The window that a viewer is shown in, its own or that of what it lies in; null for none. */
  window(name) {
    const passed = new Set();
    for (let viewer = this._viewers.get(name); viewer && !passed.has(viewer); viewer = viewer.parent) {
      passed.add(viewer);
      if (viewer.members.window) return viewer.members.window;
    }
    return null;
  }

  /** The account or accounts that a level was last said to show; null when nothing was said of it. */
  identity(level, window) {
    const said = this._identities.get(identityKey(present({ level, window })));
    return said === undefined ? null : { account: said.account, accounts: said.accounts };
  }

  /** Whether a viewer of that name is registered. */
  knows(viewer) {
    return this._viewers.has(viewer);
  }

  _register(said) {
    const { viewer: name, policy, ruleSet, ...members } = said;
    if (!this._viewers.has(name)) {
      const made = { name, members: {}, parent: null, opener: null, documentUnknown: false, policy: null,
        ruleSet: undefined };
      this._viewers.set(name, made);
      this._all.push(made);
    }
    const viewer = this._viewers.get(name);
    viewer.parent = this._viewers.get(said.parent) || viewer.parent;
    viewer.opener = this._viewers.get(said.opener) || viewer.opener;
    // A parent or opener that nobody registered is said as it is, so that the service refuses it.
    Object.assign(viewer.members, members);
    if (policy !== undefined) viewer.policy = policy;
    if (ruleSet !== undefined) viewer.ruleSet = ruleSet;
    if (said.document !== undefined) viewer.documentUnknown = false;
  }

  _forget(name, delivered) {
    if (this._viewers.delete(name) && !delivered) this._forgotten.add(name);
    // Ghosts that nobody needs any longer go, and with them perhaps those that only they needed.
    for (let count = -1; count !== this._all.length;) {
      count = this._all.length;
      const needed = new Set(this._all.reduce((all, { parent, opener }) => [...all, parent, opener], []));
      this._all = this._all.filter((viewer) => this._viewers.get(viewer.name) === viewer || needed.has(viewer));
    }
  }

  _setIdentity(said, delivered) {
    delete said.gates;
    this._identities.delete(identityKey(said));
    // Null sets nothing; it need only be said again when the service may not have heard it.
    if (states(said) || !delivered) this._identities.set(identityKey(said), said);
  }
}

/** The members that are stated: null and undefined are left out. */
function present(parameters) {
  const said = {};
  for (const name of Object.keys(parameters)) if (parameters[name] != null) said[name] = parameters[name];
  return said;
}

function identityKey(said) {
  return JSON.stringify([said.level, said.window || ""]);
}

function states(said) {
  return said.account !== undefined || said.accounts !== undefined;
}

function change(viewer, method, said) {
  if (method === "SetWebViewPolicy") {
    viewer.policy = said.policy;
  } else if (method === "SetExternalURLRules") {
    viewer.ruleSet = said.ruleSet === undefined ? null : said.ruleSet;
  } else if (method === "SetDocument") {
    delete viewer.members.document;
    if (said.document !== undefined) viewer.members.document = said.document;
    viewer.documentUnknown = said.document === undefined;
  }
}

/** The calls that make a new service know the viewers: each after what it lies in and what opened it. */
class Replay {
  constructor(viewers, live) {
    this._viewers = viewers;
    this._live = live;
    this._registered = new Set();
    this._byName = new Map();
    this._frames = [];
  }

  frames() {
    for (const viewer of this._viewers) this._register(viewer);
    const ends = [...this._byName.values()];
    const ghosts = ends.filter((viewer) => this._live.get(viewer.name) !== viewer);
    for (const say of [tag, ruleSet]) for (const viewer of ends) this._frames.push(...say(viewer));
    return [...this._frames, ...ghosts.map(forget)];
  }

  _register(viewer) {
    if (this._registered.has(viewer)) return;
    this._registered.add(viewer);
    const { parent, opener } = viewer;
    for (const needed of [parent, opener]) if (needed !== null) this._register(needed);
    const ghost = this._byName.get(viewer.name);
    if (ghost) this._frames.push(...tag(ghost), ...ruleSet(ghost), forget(ghost));
    this._byName.delete(viewer.name);
    this._byName.set(viewer.name, viewer);
    const said = { viewer: viewer.name, ...viewer.members };
    if (parent !== null) said.parent = parent.name;
    if (opener !== null) said.opener = opener.name;
    this._frames.push(["RegisterViewer", said]);
    if (viewer.documentUnknown) this._frames.push(["SetDocument", { viewer: viewer.name }]);
  }
}

function tag(viewer) {
  return viewer.policy === null ? [] : [["SetWebViewPolicy", { viewer: viewer.name, policy: viewer.policy }]];
}

function ruleSet(viewer) {
  if (viewer.ruleSet === undefined) return [];
  return [["SetExternalURLRules", present({ viewer: viewer.name, ruleSet: viewer.ruleSet })]];
}

function forget(viewer) {
  return ["ForgetViewer", { viewer: viewer.name }];
}

module.exports = { Said, present };
