export const PROXY_MODES = ['streamable-http', 'sse'] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

export const VERIFICATION_MODES = ['warn', 'enabled', 'disabled'] as const;
export type VerificationMode = (typeof VERIFICATION_MODES)[number];

/** One server process per session, or one for all sessions. */
export const STDIO_SESSIONS = ['own', 'shared'] as const;
export type StdioSessions = (typeof STDIO_SESSIONS)[number];

/** RFC 8693 names, or their short forms. */
export const SUBJECT_TOKEN_TYPES = [
  'access_token',
  'id_token',
  'jwt',
  'urn:ietf:params:oauth:token-type:access_token',
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
] as const;
