// Two commands: open a rank script in the lab, and check it. Both run commworld, which has to be in PATH.
const vscode = require("vscode");

// script returns the path of the script in front, saved.
async function script() {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "mpio") {
    vscode.window.showErrorMessage("commworld: open a rank script (.mpio) first");
    return undefined;
  }
  return (await document.save()) ? document.uri.fsPath : undefined;
}

// run carries out a command of commworld on the script in front, as a task: its findings become problems.
async function run(name, flags, matchers) {
  const file = await script();
  if (file === undefined) return;
  const execution = new vscode.ProcessExecution("commworld", [name, ...flags, file]);
  const task = new vscode.Task({ type: "commworld" }, vscode.TaskScope.Workspace, name, "commworld", execution, matchers);
  await vscode.tasks.executeTask(task);
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("commworld.lab", () => run("lab", ["--open", "--addr=127.0.0.1:0"], [])),
    vscode.commands.registerCommand("commworld.check", () => run("check", ["--format=github"], ["$commworld"])),
  );
};
