export interface TerminalLook {
  /** Undefined where standard output is no terminal. */
  readonly width: number | undefined;
  readonly hasColour: boolean;
}

/** What may be done for the eyes: nothing where no terminal is; no colours where the user wants none (no-color.org). */
export function terminalLook(
  output: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
): TerminalLook {
  const isTerminal = output.isTTY === true;
  const wantsNone = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return { width: isTerminal ? output.columns || 80 : undefined, hasColour: isTerminal && !wantsNone };
}
