/** System facts that installing a service needs. */
export interface ServiceContext {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Login name. */
  readonly user: string;
  /** Undefined on systems without user IDs. */
  readonly userId: number | undefined;
  /** Command line of `portolan service run`. */
  readonly command: readonly string[];
  /** Absolute path of the folder with logs. */
  readonly logs: string;
  /** Runs a system program until it ends. `isDone` is false when it fails or is missing. */
  readonly tryProgram: (
    program: string,
    args: readonly string[],
  ) => Promise<{ readonly isDone: boolean; readonly output: string }>;
}

/** Lines for the user about what was done, and what remains to be done. */
export interface ServiceReport {
  readonly lines: readonly string[];
}
