import { isJsonObject, memberOf } from '@portolan/mcp-protocol';
import type { NamedItem } from './name-directory.ts';

/** Maximum number of own names to remember. */
const MAX_OWN_NAMES = 200_000;

interface KnownName extends NamedItem {
  readonly isForApps: boolean;
}

/**
 * Own names of tools that apps of MCP Apps (`ui://` resources) may call: an app does not know exposed names. A
 * name that two members have listed since the start is no one's.
 */
export class AppNames {
  /** Undefined for a name that several members have listed. */
  readonly #known = new Map<string, KnownName | undefined>();

  /** Records a listed tool. `text` is its JSON. */
  learn(member: string, own: string, text: string): void {
    const known = this.#known.get(own);
    if (known === undefined && this.#known.has(own)) return;
    if (known !== undefined && known.member !== member) this.#known.set(own, undefined);
    else if (this.#known.size < MAX_OWN_NAMES)
      this.#known.set(own, { member, own, isForApps: letsAppsCall(text) });
  }

  /** Returns the tool that an app means by an own name. Undefined when apps may not call it. */
  resolve(own: string): NamedItem | undefined {
    const known = this.#known.get(own);
    return known?.isForApps === true ? { member: known.member, own } : undefined;
  }
}

/** Returns whether `_meta.ui` of a tool lets apps call it (MCP Apps, visibility: both by default). */
function letsAppsCall(text: string): boolean {
  if (!text.includes('"ui"')) return false;
  const tool: unknown = JSON.parse(text);
  const meta = isJsonObject(tool) ? memberOf(tool, '_meta') : undefined;
  const ui = isJsonObject(meta) ? memberOf(meta, 'ui') : undefined;
  if (!isJsonObject(ui)) return false;
  const visibility = memberOf(ui, 'visibility');
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes('app'));
}
