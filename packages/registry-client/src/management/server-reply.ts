import { listOf, textOf } from '@portolan/entry-format';

export interface ServerIssue {
  readonly path: string;
  readonly message: string;
  readonly severity: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly error: string;
  readonly hint: string | undefined;
  readonly issues: readonly ServerIssue[];
  readonly requestId: string | undefined;
}

export interface ServerReply {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | undefined;
}

/** Parses the body of a response with an error status. Undefined when it is not from a registry server. */
export function parseRefusal(status: number, body: unknown): Refusal | undefined {
  const error = textOf(body, 'error');
  if (error === undefined) return undefined;
  return {
    status,
    code: textOf(body, 'code'),
    error,
    hint: textOf(body, 'hint'),
    issues: parseIssues(body),
    requestId: textOf(body, 'requestId'),
  };
}

/** Parses the `issues` of a response. Omits malformed items. */
export function parseIssues(body: unknown): readonly ServerIssue[] {
  return listOf(body, 'issues').flatMap((issue) => {
    const message = textOf(issue, 'message');
    if (message === undefined) return [];
    return [{ path: textOf(issue, 'path') ?? '', message, severity: textOf(issue, 'severity') ?? 'error' }];
  });
}
