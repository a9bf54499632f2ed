import type {
  BuildInput,
  IndexedPackage,
  PluginContext,
  Scheme,
  SchemeKind,
  SchemeOptions,
} from '@portolan/plugin-api';

/** Runs an action with an instance, as a test. */
export type UseScheme = (action: (scheme: Scheme) => Promise<void>) => () => Promise<void>;

export interface SchemeUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: SchemeKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance, whose `fetch` asks nothing but a stand-in for an index. Called for every test. */
  readonly create: (context: PluginContext) => Scheme | Promise<Scheme>;
  /** A package that can be built. */
  readonly reference: BuildInput['reference'];
  /** Surroundings in which that can be done. */
  readonly options: () => SchemeOptions;
  /** What the stand-in knows, and what it does not; only for kinds that ask an index. */
  readonly index?: {
    readonly found: readonly { readonly reference: IndexedPackage; readonly version: string }[];
    readonly missing: readonly IndexedPackage[];
  };
  /** Texts behind `://` that are packages; for a kind that reads them itself. */
  readonly packages?: readonly string[];
  readonly withinMs?: number;
}
