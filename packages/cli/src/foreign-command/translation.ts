import { hideInAddress, looksSecret, secretName } from './secret-values.ts';

/** Returns the absolute path of an argument that is a file or folder of this machine; undefined for another one. */
export type FindPath = (argument: string) => string | undefined;

/** Words of `portolan run` for the command line of another program. */
export class Translation {
  readonly flags: string[] = [];
  readonly args: string[] = [];
  /** Names of secrets that the user stores before. */
  readonly secrets: string[] = [];
  /** Sentences about what the command leaves out. */
  readonly notes: string[] = [];
  target = '';

  /** The words behind `portolan run`. */
  get words(): readonly string[] {
    return [this.target, ...this.flags, ...(this.args.length > 0 ? ['--', ...this.args] : [])];
  }

  /** Adds a variable; one that looks like a secret becomes a reference. Without a value it is that of the shell. */
  addVariable(name: string, value: string | undefined): void {
    const isReference = value !== undefined && [`$${name}`, `\${${name}}`, `\${env:${name}}`].includes(value);
    const isOpen = value === undefined || isReference;
    if (looksSecret(name, isOpen ? '' : value) || value?.startsWith('${input:') === true) {
      this.addSecret(name);
      this.flags.push('--secret', `${name},target=${name}`);
    } else this.flags.push('-e', isOpen ? name : `${name}=${value}`);
  }

  addSecret(name: string): void {
    if (!this.secrets.includes(name)) this.secrets.push(name);
  }

  /** Adds a header for a remote server. */
  addHeader(name: string, value: string): void {
    if (looksSecret(name, value) || value.includes('${')) {
      const secret = secretName(name);
      this.addSecret(secret);
      this.flags.push('--remote-forward-headers-secret', `${name}=${secret}`);
      this.notes.push(`The secret ${secret} is the whole value of the header ${name}.`);
    } else this.flags.push('--remote-forward-headers', `${name}=${value}`);
  }

  /** Adds words for the server. In place of values that look like secrets stand variables of the shell. */
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

  /** Names the address of a remote server. */
  setAddress(address: string): void {
    const { word, names } = hideInAddress(address);
    this.target = word;
    for (const name of names) this.#noteShellVariable(name);
  }

  /** Returns flags of `portolan run` that the user typed, without values that look like secrets. */
  takeOwn(own: readonly string[]): readonly string[] {
    const kept: string[] = [];
    for (let at = 0; at < own.length; at += 1) {
      const word = own[at] ?? '';
      const [, flag = word, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
      const value = joined ?? (own[at + 1]?.startsWith('-') === false ? own[(at += 1)] : undefined);
      if (value === undefined) kept.push(word);
      else if (flag === '-e' || flag === '--env') {
        const end = value.indexOf('=');
        this.addVariable(
          end === -1 ? value : value.slice(0, end),
          end === -1 ? undefined : value.slice(end + 1),
        );
      } else if (!/(?:secret|file)s?$/.test(flag) && looksSecret(flag, value)) {
        kept.push(flag, `"$${secretName(flag)}"`);
        this.#noteShellVariable(secretName(flag));
      } else kept.push(...(joined === undefined ? [flag, value] : [word]));
    }
    return kept;
  }

  #addShellVariable(name: string, flag: string | undefined): void {
    this.args.push(flag === undefined ? `"$${name}"` : `${flag}="$${name}"`);
    this.#noteShellVariable(name);
  }

  #noteShellVariable(name: string): void {
    const note = `$${name} stands for a value that looks like a secret: set the variable in your shell first.`;
    if (!this.notes.includes(note)) this.notes.push(note);
  }

  /** Adds a mount of a path at the same place in the container. */
  #addMount(path: string): void {
    const mount = `${path}:${path}`;
    if (!this.flags.includes(mount)) this.flags.push('-v', mount);
  }
}
