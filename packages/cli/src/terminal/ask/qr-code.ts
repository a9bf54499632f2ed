/** What is known of a terminal that may show a picture. */
export interface PictureTerminal {
  /** Undefined or 0 where nobody knows. */
  readonly columns?: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Light modules around the code, without which not every camera finds it. */
const BORDER = 2;

/** Black and white whatever the terminal's own colours are: not every camera reads a code inside out. */
const [COLOURS, PLAIN] = ['\u001B[40;97m', '\u001B[0m'];

/**
 * Lines that show a text as a QR code; none where the terminal cannot show it:
 * one without colours (no-color.org) or blocks, or a narrower one.
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

/** More makes a code that no terminal is wide enough for, and in the end none at all. */
const MAX_CHARACTERS = 1000;

function hasColours({ platform, environment }: PictureTerminal): boolean {
  const kind = environment['TERM'] ?? '';
  return (environment['NO_COLOR'] ?? '') === '' && kind !== 'dumb' && (kind !== '' || platform === 'win32');
}

/** The character set of its user's language (POSIX, base definitions, 8.2); where none is named it is tried. */
function hasBlocks({ environment }: PictureTerminal): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG']
    .map((name) => environment[name] ?? '')
    .find((name) => name !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
