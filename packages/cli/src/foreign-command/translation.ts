import { hideInAddress, looksSecret, secretName } from './secret-values.ts';
import { isQuotedForShell, joinForShell } from './shell-words.ts';

/**
 * Returns the absolute path of an argument that is a file or folder of this machine; undefined for others.
 */
export type FindPath = (argument: string) => string | undefined;

/** Matches variables with the addresses of package indexes. They are needed by builds, not by the server. */
const INDEX_VARIABLES =
  /^(?:NPM_CONFIG_REGISTRY|UV_DEFAULT_INDEX|UV_INDEX|UV_INDEX_URL|UV_EXTRA_INDEX_URL|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL)$/i;

/**
 * Matches placeholders in configuration files of clients: `${env:NAME}`, `${input:NAME}`, `${NAME}` and
 * `${NAME:-default}`.
 */
const PLACEHOLDER = /\$\{(?:env:|input:)?([\w.-]+)(?::-[^}]*)?\}/g;

/** The words of `portolan run` that are equivalent to a command line of another program. */
export class Translation {
  readonly flags: string[] = [];
  readonly args: string[] = [];
  /** Command lines that the user runs first, which clone repositories. */
  readonly steps: string[] = [];
  /** Names of secrets that the user stores first, with the values that they replace, where those are known. */
  readonly #secrets = new Map<string, string | undefined>();
  /** Addresses of package indexes, by the build variable that names them. */
  readonly #indexes = new Map<string, string[]>();
  /** Sentences about parts that the translated command leaves out. */
  readonly notes: string[] = [];
  target = '';

  get words(): readonly string[] {
    return [this.target, ...this.flags, ...(this.args.length > 0 ? ['--', ...this.args] : [])];
  }

  get linesBefore(): readonly string[] {
    const indexes = [...this.#indexes].map(([name, addresses]) =>
      joinForShell(['portolan', 'config', 'set-build-env', name, ...this.#valueOfIndex(name, addresses)]),
    );
    return [
      ...this.steps,
      ...[...this.#secrets.keys()].map((name) => `portolan secret set ${name}`),
      ...indexes,
    ];
  }

  /** Adds a package index for all builds. An address with a login is not written to `config.yaml`. */
  addIndex(variable: string, address: string): void {
    const addresses = [...(this.#indexes.get(variable) ?? []), address];
    this.#indexes.set(variable, addresses);
    const hasLogin = addresses.some((one) => hasLoginIn(one));
    if (hasLogin) this.addSecret(variable);
    const note = hasLogin
      ? `The secret ${variable} is the whole address of the package index, with its login. Every later build uses it.`
      : `Every later build uses the package index, until \`portolan config unset-build-env ${variable}\`.`;
    if (!this.notes.includes(note)) this.notes.push(note);
  }

  #valueOfIndex(variable: string, addresses: readonly string[]): readonly string[] {
    return addresses.some((one) => hasLoginIn(one)) ? ['--from-secret', variable] : [addresses.join(' ')];
  }

  /** Adds the npm registry of a scope, which npm's own settings name. */
  addScope(key: string, address: string): void {
    if (hasLoginIn(address)) {
      this.notes.push(
        `${key} is left out: its address has a login. Builds read it from the .npmrc of your home folder.`,
      );
      return;
    }
    this.steps.push(joinForShell(['npm', 'config', 'set', `${key}=${address}`]));
  }

  /**
   * Adds a variable. A value that looks like a secret becomes a secret reference. Without a value, the
   * command takes the variable from the shell.
   */
  addVariable(name: string, value: string | undefined): void {
    const isReference = value !== undefined && [`$${name}`, `\${${name}}`, `\${env:${name}}`].includes(value);
    const isOpen = value === undefined || isReference;
    if (!isOpen && INDEX_VARIABLES.test(name) && /^https?:/.test(value)) {
      for (const one of value.split(/\s+/)) this.addIndex(name.toUpperCase(), one);
      return;
    }
    if (looksSecret(name, isOpen ? '' : value) || value?.includes('${input:') === true) {
      this.addSecret(name, value);
      this.flags.push('--secret', `${name},target=${name}`);
    } else if (isOpen) this.flags.push('-e', name);
    else this.flags.push('-e', this.#fillPlaceholders(`${name}=`, value, name));
  }

  /** Returns a word with shell variables in place of clients' placeholders. */
  #fillPlaceholders(prefix: string, value: string, name: string): string {
    const names = [...value.matchAll(PLACEHOLDER)].map(([, one = '']) => secretName(one));
    if (names.length === 0) return `${prefix}${value}`;
    const word = `${prefix}"${value.replaceAll(PLACEHOLDER, (_whole, one: string) => `$${secretName(one)}`)}"`;
    const isWhole = isQuotedForShell(word);
    for (const one of isWhole ? names : [secretName(name)]) this.#noteShellVariable(one);
    return isWhole ? word : `${prefix}"$${secretName(name)}"`;
  }

  addSecret(name: string, value?: string): void {
    // `-e NAME` of an engine's command line has no value; the variables of the client's file do.
    if (this.#secrets.get(name) === undefined) this.#secrets.set(name, value);
  }

  /** Names of secrets that the user stores first, with the values that they replace, where those are known. */
  get secrets(): ReadonlyMap<string, string | undefined> {
    return new Map(this.#secrets);
  }

  /** Gives a secret another name in flags and notes. */
  renameSecret(from: string, to: string): void {
    this.#secrets.set(to, this.#secrets.get(from));
    this.#secrets.delete(from);
    for (const [at, flag] of this.flags.entries()) {
      const value = this.flags[at + 1] ?? '';
      if (flag === '--secret' && value.startsWith(`${from},`))
        this.flags[at + 1] = `${to}${value.slice(from.length)}`;
      if (flag === '--remote-forward-headers-secret' && value.endsWith(`=${from}`))
        this.flags[at + 1] = `${value.slice(0, -from.length)}${to}`;
    }
    for (const [at, note] of this.notes.entries())
      this.notes[at] = note.replace(`The secret ${from} `, `The secret ${to} `);
  }

  /** Adds a header. A value that looks like a secret, or is not known yet, becomes a secret reference. */
  addHeader(name: string, value: string, isSecret = false): void {
    if (isSecret || looksSecret(name, value) || value.includes('${')) {
      const secret = secretName(name);
      this.addSecret(secret, value);
      this.flags.push('--remote-forward-headers-secret', `${name}=${secret}`);
      this.notes.push(`The secret ${secret} is the whole value of the header ${name}.`);
    } else this.flags.push('--remote-forward-headers', `${name}=${value}`);
  }

  /** Adds arguments of the server, with shell variables in place of values that look like secrets. */
  addArguments(words: readonly string[], findPath: FindPath): void {
    for (const [at, word] of words.entries()) {
      const before = words[at - 1] ?? '';
      const [, flag, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
      const value = joined ?? word;
      const name = flag ?? (/^--?[a-z]/i.test(before) && !before.includes('=') ? before : '');
      if (!word.startsWith('-') || joined !== undefined) {
        if (value !== '' && looksSecret(name, value)) {
          this.#addShellVariable(secretName(name === '' ? 'value' : name), flag);
          continue;
        }
        if (value.search(PLACEHOLDER) !== -1) {
          this.args.push(
            this.#fillPlaceholders(flag === undefined ? '' : `${flag}=`, value, name || 'value'),
          );
          continue;
        }
        const path = findPath(value);
        if (path !== undefined) {
          this.#addMount(path);
          this.args.push(joined === undefined ? path : `${flag ?? ''}=${path}`);
          continue;
        }
      }
      this.args.push(word);
    }
  }

  setAddress(address: string): void {
    const places = [...address.matchAll(PLACEHOLDER)].map(([, name = '']) => secretName(name));
    const filled = address.replaceAll(PLACEHOLDER, (_whole, name: string) => `$${secretName(name)}`);
    const { word, names } = hideInAddress(filled);
    this.target = names.length === 0 && places.length > 0 ? `"${word}"` : word;
    for (const name of [...names, ...places])
      if (this.target.includes(`$${name}`)) this.#noteShellVariable(name);
  }

  /**
   * Returns the user's flags of `portolan run` with shell variables in place of values that look like
   * secrets.
   */
  takeOwn(own: readonly string[]): readonly string[] {
    const remaining: string[] = [];
    for (let at = 0; at < own.length; at += 1) {
      const word = own[at] ?? '';
      const [, flag = word, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
      const value = joined ?? (own[at + 1]?.startsWith('-') === false ? own[(at += 1)] : undefined);
      if (value === undefined) remaining.push(word);
      else if (flag === '--name') {
        const named = this.flags.indexOf('--name');
        if (named !== -1) this.flags.splice(named, 2);
        remaining.push(...(joined === undefined ? [flag, value] : [word]));
      } else if (flag === '-e' || flag === '--env') {
        const end = value.indexOf('=');
        this.addVariable(
          end === -1 ? value : value.slice(0, end),
          end === -1 ? undefined : value.slice(end + 1),
        );
      } else if (!/(?:secret|file)s?$/.test(flag) && looksSecret(flag, value)) {
        remaining.push(flag, `"$${secretName(flag)}"`);
        this.#noteShellVariable(secretName(flag));
      } else remaining.push(...(joined === undefined ? [flag, value] : [word]));
    }
    return remaining;
  }

  #addShellVariable(name: string, flag: string | undefined): void {
    this.args.push(flag === undefined ? `"$${name}"` : `${flag}="$${name}"`);
    this.#noteShellVariable(name);
  }

  #noteShellVariable(name: string): void {
    const note = `$${name} replaces a secret or unknown value: set the variable in your shell first.`;
    if (!this.notes.includes(note)) this.notes.push(note);
  }

  /** Mounts a path at the same place in the container. */
  #addMount(path: string): void {
    const mount = `${path}:${path}`;
    if (!this.flags.includes(mount)) this.flags.push('-v', mount);
  }
}

function hasLoginIn(address: string): boolean {
  return /\/\/[^/\s]*@/.test(address) || looksSecret('INDEX_URL', address);
}
