// Runs Pyodide in Node while the page is built, and prints what some code gives once packages are loaded and imports
// run: node bytecode.js FOLDER PACKAGES IMPORTS CODE

const [folder, packages, imports, code] = process.argv.slice(2);

async function main() {
  const { loadPyodide } = (await import(`file://${folder}/pyodide.js`)).default;
  const python = await loadPyodide({ indexURL: `${folder}/` });
  await python.loadPackage(JSON.parse(packages), { messageCallback: () => {} });
  await python.runPythonAsync(imports);
  process.stdout.write(python.runPython(code), () => process.exit(0));
}

main().catch((fault) => {
  process.stderr.write(`${fault.message}\n`, () => process.exit(1));
});
