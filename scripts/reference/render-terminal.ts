const LINE_HEIGHT = 24;
const FONT_SIZE = 15;
/** Width of a character of a monospaced font, as a part of its size. */
const CHARACTER_WIDTH = 0.6;
const PADDING = 24;
const TITLE_BAR = 36;

/**
 * Returns a picture of a terminal as SVG. Lines that begin with `$ ` are commands. The picture has its own
 * background, so it is readable on light and dark pages. Throws when a line is too long for a page.
 */
export function renderTerminal(title: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  const longest = Math.max(...lines.map((line) => line.length));
  if (longest > 90) throw new Error(`a line has ${longest} characters; at most 90 fit into a page`);
  const width = Math.ceil(longest * FONT_SIZE * CHARACTER_WIDTH + 2 * PADDING);
  const height = TITLE_BAR + lines.length * LINE_HEIGHT + PADDING;
  const rows = lines.map((line, row) => {
    const y = TITLE_BAR + (row + 1) * LINE_HEIGHT;
    const command = /^\$ (.*)$/.exec(line)?.[1];
    const content =
      command === undefined ? escapeXml(line) : `<tspan class="prompt">$</tspan> ${escapeXml(command)}`;
    return `  <text class="${command === undefined ? 'output' : 'command'}" x="${PADDING}" y="${y}" xml:space="preserve">${content}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
  <title>${escapeXml(title)}</title>
  <style>
    text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
    .command { fill: #ffffff; font-weight: bold; }
    .prompt { fill: #7ee787; }
    .output { fill: #c9d1d9; }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#161b22"/>
  <g fill="#6e7681"><circle cx="24" cy="20" r="6"/><circle cx="44" cy="20" r="6"/><circle cx="64" cy="20" r="6"/></g>
${rows.join('\n')}
</svg>
`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
