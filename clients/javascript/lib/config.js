"use strict";

// Values of a policy that an app reads as its own configuration.

const { read, word } = require("./reading");
const { LIVES } = require("./words");

/** The values of a key: layers `{ entry, value, isDefault }`. Targeted ones beat the default, of whatever type. */
class ConfigValues {
  constructor(all = []) {
    // All layers, in the order of their entries' names; also a default that does not count.
    this.all = all;
  }

  /** The layers that count: the targeted ones, or the default when there are none. */
  get layers() {
    const targeted = this.all.filter((layer) => !layer.isDefault);
    return targeted.length > 0 ? targeted : this.all;
  }

  /** Whether more than one targeted value exists, and they are not all identical. */
  get hasConflict() {
    const layers = this.layers.filter((layer) => !layer.isDefault);
    return layers.some((layer) => layer.value !== layers[0].value);
  }

  get booleans() { return this._of("boolean"); }

  get numbers() { return this._of("number"); }

  get strings() { return this._of("string"); }

  /**
   * The boolean; of several the first (`any`), whether one is true (`or`), or whether all are (`and`). Null when
   * there is none.
   */
  boolean(choice = "any") {
    const values = this.booleans;
    if (values.length === 0) return null;
    if (choice === "or") return values.includes(true);
    return choice === "and" ? !values.includes(false) : values[0];
  }

  /** The number; of several the first (`any`), the smallest (`min`) or the largest (`max`). Null when there is none. */
  number(choice = "any") {
    return chosen(this.numbers, choice, (one, other) => one - other);
  }

  /**
   * The string; of several the first, or the first or last in the order of their code points. Null when there is
   * none.
   */
  string(choice = "any") {
    return chosen(this.strings, choice, (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  _of(type) {
    return this.layers.map((layer) => layer.value).filter((value) => typeof value === type);
  }
}

function chosen(values, choice, compare) {
  if (values.length === 0) return null;
  const sorted = [...values].sort(compare);
  if (choice === "min") return sorted[0];
  return choice === "max" ? sorted[sorted.length - 1] : values[0];
}

/** The configuration of an account: none before it is enrolled. */
class AccountConfig {
  constructor(account, state, values) {
    this.account = account;
    // The point of its life; a word that this client does not know is `blocked`.
    this.state = state;
    this.values = values;
  }

  /** The values of a key, none for a key that the policy does not name: `config.get("maxTabs").number("min")`. */
  get(key) {
    return this.values.get(key) || new ConfigValues();
  }

  /** One object for each entry, as the SDK has it: that of the default has `__IsDefault`. */
  get fullData() {
    const found = new Map();
    for (const [key, values] of this.values) {
      for (const layer of values.all) {
        if (!found.has(layer.entry)) found.set(layer.entry, layer.isDefault ? { __IsDefault: true } : {});
        // A key may be called `__proto__`.
        Object.defineProperty(found.get(layer.entry), key, {
          value: layer.value, enumerable: true, configurable: true, writable: true,
        });
      }
    }
    return [...found.keys()].sort().map((entry) => found.get(entry));
  }
}

/** The accounts of an answer. A value of a type that is not known here is passed over. */
function readConfig(reply) {
  return read("list", reply.accounts).map((said) => {
    const account = read("text", read("object", said).account);
    const values = new Map();
    for (const each of read("list", said.values)) addLayer(values, each);
    return new AccountConfig(account, word(said.state, LIVES, "blocked"), values);
  });
}

function addLayer(values, said) {
  const [key, entry] = [read("text", read("object", said).key), read("text", said.entry)];
  const value = valueOf(said);
  if (value === null) return;
  if (!values.has(key)) values.set(key, new ConfigValues());
  values.get(key).all.push({ entry, value, isDefault: said.default === true });
}

function valueOf(said) {
  if (typeof said.flag === "boolean") return said.flag;
  if (typeof said.text === "string") return said.text;
  return typeof said.number === "number" ? said.number : null;
}

module.exports = { AccountConfig, ConfigValues, readConfig };
