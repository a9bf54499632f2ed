/**
 * Major version of the plugin contract. A plugin states the one it was written
 * for in its manifest and in its plugin object; the kernel serves this one.
 */
export const API_VERSION = 1;
