/** What a container is started from, whichever runtime starts it. */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ContainerExit {
  readonly name: string;
  readonly exitCode: number;
}
