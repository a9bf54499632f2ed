import { Agent, type AgentOptions } from 'node:http';

/** An agent whose every connection goes to this Unix socket, whatever host a request names. */
export function openIngressAgent(socketPath: string): Agent {
  // Node's agent puts its own options over those of each request; its types leave this one out.
  const options: AgentOptions & { readonly socketPath: string } = { keepAlive: true, socketPath };
  return new Agent(options);
}
