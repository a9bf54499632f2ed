/** Properties of a terminal that may show a QR code. */
export interface PictureTerminal {
  /** Undefined or 0 if unknown. */
  readonly columns?: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Width of the light border, in modules. Some cameras do not find a code without it. */
const BORDER = 2;

/** Black on white in any colour theme, because some cameras do not read an inverted code. */
const [COLOURS, PLAIN] = ['\u001B[40;97m', '\u001B[0m'];

/**
 * Returns the lines of a QR code; none if the terminal is too narrow, or has no colours (no-color.org) or
 * block characters.
 */
export async function qrCode(text: string, terminal: PictureTerminal): Promise<readonly string[]> {
  if (!hasColours(terminal) || !hasBlocks(terminal) || text.length > MAX_CHARACTERS) return [];
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: BORDER }).split('\n');
  const width = lines[0]?.length ?? 0;
  if (width > (terminal.columns || USUAL_COLUMNS)) return [];
  return lines.map((line) => `${COLOURS}${line}${PLAIN}`);
}

const USUAL_COLUMNS = 80;

/** Maximum number of characters. A longer text makes a code that is wider than any terminal. */
const MAX_CHARACTERS = 1000;

function hasColours({ platform, environment }: PictureTerminal): boolean {
  const kind = environment['TERM'] ?? '';
  return (environment['NO_COLOR'] ?? '') === '' && kind !== 'dumb' && (kind !== '' || platform === 'win32');
}

/**
 * Returns whether the user's locale has block characters (POSIX, base definitions, 8.2). Returns true without
 * a locale.
 */
function hasBlocks({ environment }: PictureTerminal): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG']
    .map((name) => environment[name] ?? '')
    .find((name) => name !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
