import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The build, the development server and the unit tests share this. */
export default defineConfig({
  plugins: [react()],
  publicDir: '.cache/fonts',
  server: { proxy: { '/api': process.env.FRONTDOOR_DESK_URL ?? 'http://127.0.0.1:8081' } },
  css: { modules: { generateScopedName: '[hash:base64:4]' } },
  build: {
    cssCodeSplit: false,
    // Without it nothing has to be preloaded: the script is one file.
    modulePreload: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // The server embeds these files by their names.
      output: { entryFileNames: 'desk.js', assetFileNames: 'desk[extname]' },
    },
  },
});
