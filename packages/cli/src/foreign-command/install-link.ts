/** Matches links of editors and READMEs that add a server to an MCP client. */
const LINKS =
  /^(?:cursor|vscode|vscode-insiders|lmstudio|goose|kiro):|^https?:\/\/(?:[\w-]+\.)*(?:cursor\.com|vscode\.dev|lmstudio\.ai|kiro\.dev|block\.github\.io)\/.*(?:install|redirect|deeplink|add)/i;

/** Returns whether a target is a link that installs a server, such as `cursor://…/mcp/install?name=…&config=…`. */
export function isInstallLink(target: string): boolean {
  return LINKS.test(target);
}

/**
 * Returns whether a target may be the configuration of an MCP client: the text itself, a file, or an install
 * link.
 */
export function isForeignTarget(target: string): boolean {
  return /^\s*[{"[]|\.(?:jsonc?|toml|ya?ml)$|^-$/i.test(target) || isInstallLink(target);
}

/** Returns the configuration of a server in an install link; undefined if it has none. */
export function readInstallLink(target: string): unknown {
  const inner = URL.parse(target)?.searchParams.get('url');
  if (inner !== null && inner !== undefined && isInstallLink(inner)) return readInstallLink(inner);
  const link = URL.parse(target);
  if (link === null) return undefined;
  const [whole = ''] = [...link.searchParams.keys()];
  if (whole.startsWith('{')) return parseConfiguration(whole);
  const configuration = parseConfiguration(link.searchParams.get('config') ?? '');
  const name = link.searchParams.get('name');
  if (typeof configuration !== 'object' || configuration === null) return undefined;
  return name === null ? configuration : { name, ...configuration };
}

function parseConfiguration(text: string): unknown {
  const forms = [text, Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')];
  for (const form of forms) {
    if (!/^\s*\{/.test(form)) continue;
    try {
      return JSON.parse(form);
    } catch {
      // The next encoding is tried, which may be plain JSON.
    }
  }
  return undefined;
}
