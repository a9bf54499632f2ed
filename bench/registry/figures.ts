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
/** Suffix of a case name: requested by a client library instead of plain sockets. */
export const BY_CLIENT = ' (undici)';
/** Name of the measured registry and of its source. */
export const REGISTRY = 'catalogue';

export interface MeasureOptions extends Rounds {
  readonly folder: string;
  readonly built: boolean;
  /** Number of connections for cached responses. */
  readonly connections: number;
  /** Number of admin writes of each kind. */
  readonly writes: number;
  readonly nodeArgs: readonly string[];
  /** Runs fewer rounds. */
  readonly quick: boolean;
  readonly undo: UndoStack;
  readonly say: (line: string) => void;
}

/** A small catalogue to read during the import of a large one, and the large ones. */
export interface Catalogues {
  readonly small: CatalogueFacts;
  readonly large: readonly CatalogueFacts[];
}

export type FiguresByName = Readonly<Record<string, TargetFigures>>;

export interface SizeFigures {
  readonly count: number;
  readonly import: ImportFigures;
  /** Figures by case, and `304`. */
  readonly cached: FiguresByName;
  readonly bare: FiguresByName;
  /** Figures by case, and `hand-written query`; one request at a time. */
  readonly uncached: FiguresByName;
  /** Memory of the process that imported and then served all cases. */
  readonly memory: MemoryFigures;
  /** Memory of a process that found its data in the database, and served without a cache. */
  readonly memoryUncached: MemoryFigures;
}

export interface StatementFigures {
  readonly median: number;
  readonly most: number;
}

/** Cost of tokens and claims. */
export interface AuthorizedFigures {
  readonly count: number;
  /** Figures by case with a token, restricted to what the caller may see. */
  readonly guarded: FiguresByName;
  /** Figures of the same cases without a token, for all entries. */
  readonly open: FiguresByName;
  /** Memory of the server with authentication. */
  readonly memory: MemoryFigures;
  /** Figures of writes while readers load the first page at full speed. */
  readonly writes: WriteFiguresByName;
}

/** Figures of single versions by name, over eight connections. */
export interface VersionFigures {
  readonly count: number;
  /** Figures by version, caller, and cache use. */
  readonly byName: FiguresByName;
  /** Memory of the larger server without a cache, after its import. */
  readonly memory: MemoryFigures;
}

export interface EngineFigures {
  readonly engine: EngineName;
  readonly sizes: readonly SizeFigures[];
  /** SQL statements per uncached request by case; undefined if they cannot be counted. */
  readonly statements: Readonly<Record<string, StatementFigures>> | undefined;
  readonly authorized: AuthorizedFigures | undefined;
  readonly versions: VersionFigures | undefined;
  readonly apiSync: ApiSyncFigures | undefined;
  readonly syncReads: SyncReadFigures | undefined;
  readonly pages: PagesFigures | undefined;
}

/** Database with a catalogue, and the figures during and after its import. */
export interface Filled {
  readonly facts: CatalogueFacts;
  readonly databaseUrl: string;
  readonly cases: Cases;
  readonly figures: Omit<SizeFigures, 'uncached' | 'memoryUncached'>;
}
