import { hasHiddenCharacters, showHidden } from '../parse/text-faults.ts';

/** Authors of settings, least trusted first. A merged value has the author of the part that opens most. */
export const AUTHORS = ['package', 'entry', 'file', 'own file', 'user', 'portolan'] as const;
export type Author = (typeof AUTHORS)[number];

/** Authors whose settings open nothing without consent. */
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

/** One thing that a foreign author's setting opens. */
export interface Grant {
  readonly kind: GrantKind;
  /** Sentence for the user; equal lines are the same grant. */
  readonly line: string;
  /** What is opened: a path, the name of a secret, an address. */
  readonly subject: string;
  /** Where data leaves the machine to. */
  readonly destination?: string;
  /** JSON path of the setting. */
  readonly setting: string;
}

/** A setting that a foreign author may not make, whatever the user says. */
export interface Refusal {
  /** JSON path of the setting. */
  readonly setting: string;
  readonly found: string;
  readonly because: string;
}

/** Everything that a foreign author's settings ask for. */
export interface Demands {
  readonly grants: readonly Grant[];
  readonly refusals: readonly Refusal[];
}

/** Facts about this machine that determine what a setting opens. */
export interface ConsentFacts {
  readonly home: string;
  readonly workingDirectory: string;
  /** Folders of Portolan's settings and state. */
  readonly ownFolders: readonly string[];
  /** Sockets of container engines, as absolute paths. */
  readonly engineSockets: readonly string[];
  /** The only folder in which a foreign author's setting may write files. */
  readonly stateFolder: string | undefined;
  /** Resolves the symbolic links of a path. Returns the path itself when nothing is there. */
  readonly realPath: (path: string) => string;
  /** Returns whether a path leads to a Unix socket, on which a host program listens. */
  readonly isSocket: (path: string) => boolean;
  /** Returns the folder that a build of a folder packs: that of its Go module, which may be a parent. */
  readonly moduleFolder: (folder: string) => string;
  /**
   * Returns the IP addresses of a host name. Undefined for a name that does not resolve; empty when names are
   * not resolved, as in a preview.
   */
  readonly addressesOf: (hostname: string) => readonly string[] | undefined;
}

const HIDDEN_REASON = 'it holds control or format characters, so it looks like something else';

/** Collects what one foreign author's settings ask for. */
export class DemandList implements Demands {
  readonly #grants = new Map<string, Grant>();
  readonly refusals: Refusal[] = [];

  get grants(): readonly Grant[] {
    return [...this.#grants.values()].toSorted(
      (one, other) => GRANT_KINDS.indexOf(one.kind) - GRANT_KINDS.indexOf(other.kind),
    );
  }

  /** Adds a grant. Refuses a line with hidden characters, which a user would read differently. */
  add(grant: Grant): void {
    if (hasHiddenCharacters(grant.line)) this.refuse(grant.setting, grant.line, HIDDEN_REASON);
    else if (!this.#grants.has(grant.line)) this.#grants.set(grant.line, grant);
  }

  refuse(setting: string, found: string, because: string): void {
    this.refusals.push({ setting: showHidden(setting), found: showHidden(found), because });
  }
}
