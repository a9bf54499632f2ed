import { hasHiddenCharacters, showHidden } from '../parse/text-faults.ts';

/**
 * Authors of settings, least trusted first. A value merged from several authors counts as the least trusted
 * one's that widens access.
 */
export const AUTHORS = ['package', 'entry', 'file', 'own file', 'user', 'portolan'] as const;
export type Author = (typeof AUTHORS)[number];

/** Untrusted authors. Their settings widen access only with the user's consent. */
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
  /** Sentence for the user. Grants with equal sentences are the same grant. */
  readonly line: string;
  /** Object of the grant: a path, the name of a secret, or an address. */
  readonly subject: string;
  /** Address that data is sent to, outside of this machine. */
  readonly destination?: string;
  readonly setting: string;
}

/** Setting that an untrusted author may not make, even with consent. */
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
  /** Only folder in which a setting of an untrusted author may write files. */
  readonly stateFolder: string | undefined;
  /** Resolves symbolic links. Returns the path unchanged when it does not exist. */
  readonly realPath: (path: string) => string;
  /** Returns whether the path is a socket, on which a program of the host may listen. */
  readonly isSocket: (path: string) => boolean;
  /**
   * Returns the folder that a build of a local folder includes. For a Go module, this may be a parent folder.
   */
  readonly moduleFolder: (folder: string) => string;
  /**
   * Returns the IP addresses of a name; undefined when it does not resolve. Empty when names are not
   * resolved, as in a preview.
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

  /**
   * Adds a grant. Refuses one with hidden characters in its sentence, because a user would read it
   * differently.
   */
  add(grant: Grant): void {
    if (hasHiddenCharacters(grant.line)) this.refuse(grant.setting, grant.line, HIDDEN_REASON);
    else if (!this.#grants.has(grant.line)) this.#grants.set(grant.line, grant);
  }

  refuse(setting: string, match: string, because: string): void {
    this.refusals.push({ setting: showHidden(setting), found: showHidden(match), because });
  }
}
