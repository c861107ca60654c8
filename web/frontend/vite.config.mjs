import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const browsers = ["chrome123", "edge123", "firefox120", "safari17.5"];
const here = (name) => new URL(name, import.meta.url).pathname;

/* Packed once here instead of at each request. */
const packed = {
  name: "packed",
  apply: "build",
  closeBundle() {
    for (const name of readdirSync(here("../static"))) {
      if (/\.(js|css|svg)$/.test(name)) {
        const file = here(`../static/${name}`);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    }
  },
};

export default defineConfig({
  root: here("."),
  base: "/static/",
  publicDir: false,
  logLevel: "warn",
  plugins: [packed],
  css: { lightningcss: { targets: { chrome: 123 << 16, firefox: 120 << 16, safari: (17 << 16) | (5 << 8) } } },
  build: {
    outDir: here("../static"),
    emptyOutDir: true,
    manifest: "manifest.json",
    assetsDir: ".",
    assetsInlineLimit: 0,
    target: browsers,
    cssTarget: browsers,
    modulePreload: { polyfill: false },
    rollupOptions: {
      // htmx can evaluate texts and is told not to (page.js); the policy forbids it, too.
      onLog: (level, log, tell) => log.code !== "EVAL" && tell(level, log),
      input: [here("built/page.css"), here("page.js"), here("diagram.js"), here("mark.svg")],
      output: {
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
});
