import { hasHiddenCharacters, showHidden } from '../parse/text-faults.ts';

/** Least trusted first. A merged value has the author of the part that opens most. */
export const AUTHORS = ['package', 'entry', 'file', 'own file', 'user', 'portolan'] as const;
export type Author = (typeof AUTHORS)[number];

/** Their settings open nothing without consent. */
export type Stranger = 'entry' | 'file';

export const GRANT_KINDS = [
  'mount',
  'network',
  'isolation',
  'listen',
  'publish',
  'secret',
  'variable',
  'read',
  'write',
  'build',
  'login',
  'connect',
  'send',
  'trust',
  'plugin',
  'setting',
] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export interface Grant {
  readonly kind: GrantKind;
  /** Sentence for the user; equal lines are the same grant. */
  readonly line: string;
  /** A path, the name of a secret, an address. */
  readonly subject: string;
  /** Where data leaves the machine to. */
  readonly destination?: string;
  readonly setting: string;
}

/** A setting that a foreign author may not make, even with consent. */
export interface Refusal {
  readonly setting: string;
  readonly found: string;
  readonly because: string;
}

export interface Demands {
  readonly grants: readonly Grant[];
  readonly refusals: readonly Refusal[];
}

export interface ConsentFacts {
  readonly home: string;
  readonly workingDirectory: string;
  readonly ownFolders: readonly string[];
  /** Sockets of container engines, as absolute paths. */
  readonly engineSockets: readonly string[];
  /** A foreign author's setting may write files only here. */
  readonly stateFolder: string | undefined;
  /** Resolves symbolic links. Returns the path itself when nothing is there. */
  readonly realPath: (path: string) => string;
  /** A host program listens on such a socket. */
  readonly isSocket: (path: string) => boolean;
  /** Returns the folder that a build packs: that of its Go module, which may be a parent. */
  readonly moduleFolder: (folder: string) => string;
  /**
   * Returns undefined for a name that does not resolve; empty when names are not resolved, as in a preview.
   */
  readonly addressesOf: (hostname: string) => readonly string[] | undefined;
}

const HIDDEN_REASON = 'it holds control or format characters, so it looks like something else';

export class DemandList implements Demands {
  readonly #grants = new Map<string, Grant>();
  readonly refusals: Refusal[] = [];

  get grants(): readonly Grant[] {
    return [...this.#grants.values()].toSorted(
      (one, other) => GRANT_KINDS.indexOf(one.kind) - GRANT_KINDS.indexOf(other.kind),
    );
  }

  /** Refuses a line with hidden characters, which a user would read differently. */
  add(grant: Grant): void {
    if (hasHiddenCharacters(grant.line)) this.refuse(grant.setting, grant.line, HIDDEN_REASON);
    else if (!this.#grants.has(grant.line)) this.#grants.set(grant.line, grant);
  }

  refuse(setting: string, found: string, because: string): void {
    this.refusals.push({ setting: showHidden(setting), found: showHidden(found), because });
  }
}
