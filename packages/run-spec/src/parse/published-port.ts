import { badPublishedPort } from './parse-errors.ts';

export interface PublishedPort {
  /** Port on the host; undefined lets the engine choose a free port. */
  readonly hostPort: number | undefined;
  readonly containerPort: number;
}

/** Parses `hostPort:containerPort` or a container port. Throws ERR_SETTING. */
export function parsePublishedPort(text: string, place: string): PublishedPort {
  const parts = text.split(':');
  if (parts.length > 2) throw badPublishedPort(place, text, 'it has more than two parts');
  const [first = '', second] = parts;
  if (second === undefined) {
    return { hostPort: undefined, containerPort: readPort(first, place, text, 'container port') };
  }
  return {
    hostPort: readPort(first, place, text, 'host port'),
    containerPort: readPort(second, place, text, 'container port'),
  };
}

export function formatPublishedPort({ hostPort, containerPort }: PublishedPort): string {
  return hostPort === undefined ? String(containerPort) : `${hostPort}:${containerPort}`;
}

function readPort(text: string, place: string, whole: string, which: string): number {
  const port = parsePort(text);
  if (port === undefined) throw badPublishedPort(place, whole, `the ${which} is no number from 1 to 65535`);
  return port;
}

/** Parses a port from 1 to 65535 in decimal digits; undefined for other text. */
export function parsePort(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
