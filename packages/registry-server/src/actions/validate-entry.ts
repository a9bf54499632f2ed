import { ENTRY_TYPES, type EntryType, isJsonObject, type JsonObject } from '@portolan/plugin-api';
import type { DocumentIssue, RegistryAdmin } from '@portolan/registry';
import { sendJson } from '../responses/send-json.ts';
import { actorOf, type RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { unknownKeys } from '../request/unknown-keys.ts';
import { findJsonFault } from '../steps/body/find-json-fault.ts';
import { readText } from '../steps/body/read-body.ts';

/**
 * Validates a document and stores nothing. The status is always 200 (MCP registry API, `validate`). Accepts a
 * bare `server.json` or the body of a publish request.
 */
export function validateEntry(admin: RegistryAdmin, maxBytes: number): Step {
  return step('validateEntry', async (ctx) => {
    const text = await readText(ctx, maxBytes);
    const fault = findJsonFault(text);
    if (fault !== undefined) return sendIssues(ctx, [notJson(fault)]);
    const { type, document, issues } = whatToValidate(JSON.parse(text));
    return sendIssues(ctx, [...issues, ...(await admin.validate(actorOf(ctx), type, document))]);
  });
}

/** Problem of a document. Type `json`: the body is not JSON. */
type Issue = DocumentIssue | (Omit<DocumentIssue, 'type'> & { readonly type: 'json' });

function sendIssues(ctx: RequestContext, issues: readonly Issue[]): void {
  const valid = !issues.some(({ severity }) => severity === 'error');
  sendJson(ctx, `${JSON.stringify({ valid, issues })}\n`);
}

function notJson(fault: string): Issue {
  return {
    type: 'json',
    path: '',
    message: `The request body is invalid: ${fault}.`,
    severity: 'error',
    reference: 'json',
  };
}

/** Returns the document to validate: the body itself, or the document in the body of a publish request. */
function whatToValidate(body: unknown): {
  readonly type: EntryType;
  readonly document: unknown;
  /** Issues about keys that a publish request must not have. */
  readonly issues: readonly Issue[];
} {
  if (isJsonObject(body) && !Object.hasOwn(body, 'name')) {
    const type = ENTRY_TYPES.find((known) => Object.hasOwn(body, known));
    if (type !== undefined) return { type, document: body[type], issues: envelopeIssues(body) };
  }
  return { type: 'server', document: body, issues: [] };
}

function envelopeIssues(body: JsonObject): readonly Issue[] {
  return unknownKeys(body, [...ENTRY_TYPES, 'claims']).map((message) => ({
    type: 'schema',
    path: '',
    message,
    severity: 'error',
    reference: 'envelope',
  }));
}
