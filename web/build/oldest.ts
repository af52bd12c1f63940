/**
 * The oldest browsers that run our scripts: three years back from the release.
 * Scripts and styles are written for them, and `compatibility/` holds the code to them.
 */
export const oldest = { chrome: 119, firefox: 119, safari: 17 };

/** As the bundler wants it: `chrome119`. */
export const targets = Object.entries(oldest).map(([browser, version]) => browser + version);
