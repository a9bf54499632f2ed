/** What a service is installed with and into. */
export interface ServiceSurroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Login name. */
  readonly user: string;
  /** Undefined where there are none. */
  readonly userId: number | undefined;
  /** Command line of `portolan service run`. */
  readonly command: readonly string[];
  /** Where logs are, absolute. */
  readonly logs: string;
  /** Runs a program of the machine to its end; false when it fails, or is not there. */
  readonly tryProgram: (
    program: string,
    args: readonly string[],
  ) => Promise<{ readonly isDone: boolean; readonly output: string }>;
}

/** What was done, for people, and what is left to them. */
export interface ServiceReport {
  readonly lines: readonly string[];
}
