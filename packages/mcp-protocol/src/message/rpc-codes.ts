/** Internal error (JSON-RPC 2.0, section 5.1). */
export const INTERNAL_ERROR = -32603;
