import type { Cases } from './cases.ts';
import type { EngineName } from './databases.ts';
import type { CatalogueFacts } from './generate.ts';
import type { ApiSyncFigures } from './measure-api-sync.ts';
import type { PagesFigures } from './measure-pages.ts';
import type { SyncReadFigures } from './measure-sync-reads.ts';
import type { WriteFiguresByName } from './measure-writes.ts';
import type { ImportFigures } from './measure-import.ts';
import type { MemoryFigures } from './process-figures.ts';
import type { Rounds, TargetFigures } from './take-turns.ts';
import type { UndoStack } from './undo-stack.ts';

export const NOT_MODIFIED = '304';
export const HAND_WRITTEN = 'hand-written query';
/** Behind the name of a case: asked by a client library instead of bare sockets. */
export const BY_CLIENT = ' (undici)';
/** The registry that is measured, and its source. */
export const REGISTRY = 'catalogue';

export interface MeasureOptions extends Rounds {
  readonly folder: string;
  readonly built: boolean;
  /** Connections of the load on cached answers. */
  readonly connections: number;
  /** Admin writes of each kind. */
  readonly writes: number;
  readonly nodeArgs: readonly string[];
  /** Fewer rounds of everything. */
  readonly quick: boolean;
  readonly undo: UndoStack;
  readonly say: (line: string) => void;
}

/** A small catalogue to read from while a large one is imported, and the large ones. */
export interface Catalogues {
  readonly small: CatalogueFacts;
  readonly large: readonly CatalogueFacts[];
}

export type FiguresByName = Readonly<Record<string, TargetFigures>>;

export interface SizeFigures {
  readonly count: number;
  readonly import: ImportFigures;
  /** By case, and `304`. */
  readonly cached: FiguresByName;
  readonly bare: FiguresByName;
  /** By case, and `hand-written query`; one request at a time. */
  readonly uncached: FiguresByName;
  /** Of the process that imported and then served all cases. */
  readonly memory: MemoryFigures;
  /** Of one that found its data in the database, and served without a cache. */
  readonly memoryUncached: MemoryFigures;
}

export interface StatementFigures {
  readonly median: number;
  readonly most: number;
}

/** What tokens and claims cost. */
export interface AuthorizedFigures {
  readonly count: number;
  /** By case; with a token, and only what the caller may see. */
  readonly guarded: FiguresByName;
  /** The same cases without a token, of all entries. */
  readonly open: FiguresByName;
  /** Of the server that asks for tokens. */
  readonly memory: MemoryFigures;
  /** While the first page is read as fast as it can be. */
  readonly writes: WriteFiguresByName;
}

/** Single versions by name, eight connections. */
export interface VersionFigures {
  readonly count: number;
  /** By which version, who asks, and whether from the cache. */
  readonly byName: FiguresByName;
  /** Of the larger server without a cache, which has imported everything before. */
  readonly memory: MemoryFigures;
}

export interface EngineFigures {
  readonly engine: EngineName;
  readonly sizes: readonly SizeFigures[];
  /** SQL statements of one request by case, nothing cached; only where they can be counted. */
  readonly statements: Readonly<Record<string, StatementFigures>> | undefined;
  /** Undefined when it was not asked for. */
  readonly authorized: AuthorizedFigures | undefined;
  /** Undefined when it was not asked for. */
  readonly versions: VersionFigures | undefined;
  /** Undefined when it was not asked for. */
  readonly apiSync: ApiSyncFigures | undefined;
  /** Undefined when it was not asked for. */
  readonly syncReads: SyncReadFigures | undefined;
  /** Undefined when it was not asked for. */
  readonly pages: PagesFigures | undefined;
}

/** A database that holds a catalogue, and what was measured while it was filled and after. */
export interface Filled {
  readonly facts: CatalogueFacts;
  readonly databaseUrl: string;
  readonly cases: Cases;
  readonly figures: Omit<SizeFigures, 'uncached' | 'memoryUncached'>;
}
