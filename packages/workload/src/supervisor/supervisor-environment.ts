type Environment = Readonly<Record<string, string | undefined>>;

/** Patterns for variables that contain secrets of Portolan or of the programs of secret stores. */
const SECRET = [
  /^(?:PORTOLAN|TOOLHIVE)_SECRET_/,
  /^(?:PORTOLAN|TOOLHIVE)_(?:.*_)?(?:PASSWORD|SECRET|TOKEN)$/,
  /^OP_(?:SERVICE_ACCOUNT_TOKEN$|CONNECT_TOKEN$|SESSION)/,
];

/**
 * Number of libuv threads. DNS look-ups may use half of them: three for the workload, one for the supervisor
 * itself.
 */
const THREADS = '8';

/**
 * Returns the environment of the starting command without secrets. A supervisor lives as long as the workload
 * and opens no secret store. It gets the secrets that it needs in its order.
 */
export function supervisorEnvironment(environment: Environment): Environment {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !SECRET.some((pattern) => pattern.test(name))),
  );
  return { UV_THREADPOOL_SIZE: THREADS, ...variables };
}
