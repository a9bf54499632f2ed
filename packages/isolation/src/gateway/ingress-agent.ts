import { Agent, type AgentOptions } from 'node:http';

/** Returns an agent that always connects to this Unix socket, whatever host a request names. */
export function openIngressAgent(socketPath: string): Agent {
  // Node's agent applies its own options over each request's; its types omit this one.
  const options: AgentOptions & { readonly socketPath: string } = { keepAlive: true, socketPath };
  return new Agent(options);
}
