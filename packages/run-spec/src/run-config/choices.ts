export const PROXY_MODES = ['streamable-http', 'sse'] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

export const VERIFICATION_MODES = ['warn', 'enabled', 'disabled'] as const;
export type VerificationMode = (typeof VERIFICATION_MODES)[number];

/** Whether the server starts with the workload, or with the first request that needs it. */
export const START_MODES = ['eager', 'lazy'] as const;
export type StartMode = (typeof START_MODES)[number];

/** Whether each session has its own server process, or all sessions share one. */
export const STDIO_SESSIONS = ['own', 'shared'] as const;
export type StdioSessions = (typeof STDIO_SESSIONS)[number];

/** Reactions to a server that no longer sends what was approved, from the weakest to the strictest. */
export const DRIFT_REACTIONS = ['warn', 'hold', 'refuse'] as const;
export type DriftReaction = (typeof DRIFT_REACTIONS)[number];

/** Types of subject tokens: the names in RFC 8693, or their short forms. */
export const SUBJECT_TOKEN_TYPES = [
  'access_token',
  'id_token',
  'jwt',
  'urn:ietf:params:oauth:token-type:access_token',
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
] as const;
