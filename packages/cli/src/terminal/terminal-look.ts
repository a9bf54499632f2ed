export interface TerminalLook {
  readonly width: number | undefined;
  readonly hasColour: boolean;
}

/**
 * Returns width and use of colours for the output. No colours without a terminal, or when the user turns them
 * off (no-color.org).
 */
export function terminalLook(
  output: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
): TerminalLook {
  const isTerminal = output.isTTY === true;
  const wantsNone = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  return { width: isTerminal ? output.columns || 80 : undefined, hasColour: isTerminal && !wantsNone };
}
