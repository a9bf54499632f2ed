/**
 * Major version of the plugin contract. A plugin declares the version it was written for in its manifest and
 * in its plugin object.
 */
export const API_VERSION = 2;
