import type { PluginContext, SkippedEntry, Source, SourceEntry, SourceKind } from '@portolan/plugin-api';

export interface SourceUnderTest<Kind extends SourceKind = SourceKind> {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: Kind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly Parameters<Kind['create']>[0][];
  /** Makes an instance that reads data with `entries` in it. Called for every test. */
  readonly create: (context: PluginContext) => Source | Promise<Source>;
  /**
   * What the data holds, in any order: type, document, claims and reasons for
   * skipping are compared; `place` only where it is given here.
   */
  readonly entries: readonly (SourceEntry | SkippedEntry)[];
  /** Changes the data so that other entries are read, and anew with every call. Left out: it cannot change. */
  readonly change?: () => void | Promise<void>;
  /** Makes an entry disappear that is there after `create`, or after `change`. Left out: none can. */
  readonly remove?: () => void | Promise<void>;
  /** Makes one part of the data unreadable, of a source with scopes, and answers which. Left out: there are no parts. */
  readonly spoilScope?: () => string | Promise<string>;
  /** Makes the data unreadable: removes the file, stops the server. Left out: it is always readable. */
  readonly spoil?: () => void | Promise<void>;
  /** Most time that one step may take, such as reading everything or telling of a change; left out: 20 seconds. */
  readonly withinMs?: number;
}
