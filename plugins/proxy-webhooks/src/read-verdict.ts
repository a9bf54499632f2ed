import { type JsonMap, type JsonTree, parseTree } from './json-tree.ts';
import { WEBHOOK_VERSION } from './webhook-body.ts';

export type WebhookVerdict =
  | { readonly is: 'allowed'; readonly patch: JsonTree | undefined }
  /** The webhook denied. Its reason is only for logs. */
  | { readonly is: 'denied'; readonly because: string }
  /** The webhook gave no valid verdict. */
  | { readonly is: 'failed'; readonly why: string };

export interface ExpectedResponse {
  readonly uid: string;
  /** Whether the webhook may change the message. */
  readonly mayPatch: boolean;
}

const MAX_SHOWN = 200;

export function readVerdict(text: string, { uid, mayPatch }: ExpectedResponse): WebhookVerdict {
  let response: JsonTree;
  try {
    response = parseTree(text);
  } catch {
    return failed('its response is not JSON, or has a duplicate member');
  }
  if (response.is !== 'map') return failed('its response is not a map');
  if (valueOf(response, 'version') !== WEBHOOK_VERSION) return failed('its response has another version');
  if (valueOf(response, 'uid') !== uid) return failed('its response belongs to another request');
  const allowed = valueOf(response, 'allowed');
  if (typeof allowed !== 'boolean')
    return failed('its response does not state whether the message is allowed');
  if (!allowed) return { is: 'denied', because: reasonIn(response) };
  const patch = response.members.get('patch');
  if (patch === undefined || (patch.is === 'leaf' && patch.json === 'null')) {
    return { is: 'allowed', patch: undefined };
  }
  if (!mayPatch) return failed('it wants to change the message, and may only look at it');
  if (valueOf(response, 'patch_type') !== 'json_patch') return failed('the type of its patch is unknown');
  return { is: 'allowed', patch };
}

export function failed(why: string): WebhookVerdict & { readonly is: 'failed' } {
  return { is: 'failed', why };
}

/** Returns the text of a scalar; undefined for a list or map. */
function valueOf({ members }: JsonMap, name: string): unknown {
  const value = members.get(name);
  return value?.is === 'leaf' ? JSON.parse(value.json) : undefined;
}

function reasonIn(response: JsonMap): string {
  const messages = ['code', 'reason', 'message'].flatMap((name) => {
    const value = valueOf(response, name);
    return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  });
  const text = messages.join(': ');
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}
