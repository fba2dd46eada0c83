/**
 * Makes the forms of a survey that memeloc exported. README.md says how to use it.
 *
 * makeForms() reads forms/*.json and pictures/* of the exported folder in Drive. It stops before
 * Apps Script would stop it (six minutes); run it again, and it goes on with the next form. A form
 * that was not finished goes to the bin and is made anew, so there is one form a sheet.
 */

/** The id of the exported folder in Drive: what follows /folders/ in its address. */
const FOLDER_ID = 'PUT THE ID OF THE FOLDER HERE';

/** Seconds after which no further form is begun. */
const LONGEST_RUN = 240;

const WIDTH = 740;

function makeForms() {
  const started = Date.now();
  const properties = PropertiesService.getScriptProperties();
  const root = DriveApp.getFolderById(FOLDER_ID);
  const pictures = child(root, 'pictures');
  const sheets = formFiles(child(root, 'forms'));
  let left = 0;
  sheets.forEach(function (file) {
    const name = file.getName().replace(/\.json$/, '');
    if (properties.getProperty('made:' + name)) {
      return;
    }
    if (Date.now() - started > LONGEST_RUN * 1000) {
      left += 1;
      return;
    }
    const begun = properties.getProperty('begun:' + name);
    if (begun) {
      DriveApp.getFileById(begun).setTrashed(true);
    }
    const data = JSON.parse(file.getBlob().getDataAsString('UTF-8'));
    const made = makeForm(data, pictures, function (id) {
      properties.setProperty('begun:' + name, id);
    });
    properties.setProperty('made:' + name, JSON.stringify(made));
    properties.deleteProperty('begun:' + name);
  });
  writeList(root, properties, sheets);
  console.log(left ? left + ' forms are left: run makeForms again.' : 'All forms are made: see forms.csv.');
  return left;
}

/** Forgets what was made, so that makeForms makes all forms again. The forms stay in Drive. */
function forget() {
  PropertiesService.getScriptProperties().deleteAllProperties();
}

function makeForm(data, pictures, begun) {
  if (data.memeloc !== 'google-form') {
    throw new Error('This file is not of memeloc: ' + data.sheet);
  }
  const form = FormApp.create(data.title, false);
  begun(form.getId());
  DriveApp.getFileById(form.getId()).setName(data.document);
  form.setDescription(data.description)
    .setConfirmationMessage(data.thanks)
    .setProgressBar(true)
    .setCollectEmail(false)
    .setAllowResponseEdits(false)
    .setShowLinkToRespondAgain(false);
  try {
    form.setRequireLogin(false);
  } catch (error) {
    // Accounts outside of an organisation have no such setting: nobody has to sign in there.
    console.log('setRequireLogin: ' + error);
  }
  const sections = {};
  const routed = [];
  let participant = null;
  data.items.forEach(function (item) {
    const made = makeItem(form, item, pictures);
    if (item.kind === 'section') {
      sections[item.key] = made;
    }
    if (item.routed) {
      routed.push([item, made]);
    }
    if (item.key === 'participant') {
      participant = made;
    }
  });
  // Options name sections that come later, so they are set when all sections are there.
  routed.forEach(function (pair) {
    pair[1].setChoices(pair[0].options.map(function (option) {
      return pair[1].createChoice(option.text, target(option.goes, sections));
    }));
  });
  form.setPublished(true);
  form.setAcceptingResponses(true);
  const mark = 'PROLIFIC_PID';
  const prefilled = form.createResponse()
    .withItemResponse(participant.createResponse(mark))
    .toPrefilledUrl()
    .replace(mark, '{{%PROLIFIC_PID%}}');
  return {
    sheet: data.sheet,
    id: form.getId(),
    edit: form.getEditUrl(),
    answer: form.getPublishedUrl(),
    prolific: prefilled,
  };
}

function makeItem(form, item, pictures) {
  let made;
  switch (item.kind) {
    case 'section':
      made = form.addPageBreakItem();
      break;
    case 'text':
      made = form.addSectionHeaderItem();
      break;
    case 'picture':
      return addPicture(form, item, pictures);
    case 'line':
      made = form.addTextItem().setRequired(item.required);
      break;
    case 'paragraph':
      made = form.addParagraphTextItem().setRequired(item.required);
      break;
    case 'scale':
      made = form.addScaleItem().setRequired(item.required)
        .setBounds(Number(item.options[0].id), Number(item.options[item.options.length - 1].id));
      break;
    case 'choice':
    case 'choices':
      if (item.picture) {
        addPicture(form, item, pictures);
      }
      made = item.kind === 'choice' ? form.addMultipleChoiceItem() : form.addCheckboxItem();
      made.setRequired(item.required);
      if (!item.routed) {
        made.setChoiceValues(item.options.map(function (option) { return option.text; }));
      }
      break;
    default:
      throw new Error('There is no kind of item ' + item.kind);
  }
  made.setTitle(item.title);
  if (item.description) {
    made.setHelpText(item.description);
  }
  return made;
}

function addPicture(form, item, pictures) {
  const found = pictures.getFilesByName(item.picture);
  if (!found.hasNext()) {
    throw new Error('The folder pictures has no file ' + item.picture);
  }
  return form.addImageItem()
    .setImage(found.next().getBlob())
    .setAlignment(FormApp.Alignment.CENTER)
    .setWidth(WIDTH);
}

function target(goes, sections) {
  if (goes === 'submit') {
    return FormApp.PageNavigationType.SUBMIT;
  }
  if (!goes) {
    return FormApp.PageNavigationType.CONTINUE;
  }
  return sections[goes];
}

function child(folder, name) {
  const found = folder.getFoldersByName(name);
  if (!found.hasNext()) {
    throw new Error('The exported folder in Drive has no folder ' + name + '. Is FOLDER_ID right?');
  }
  return found.next();
}

function formFiles(folder) {
  const files = [];
  const found = folder.getFiles();
  while (found.hasNext()) {
    const file = found.next();
    if (/\.json$/.test(file.getName())) {
      files.push(file);
    }
  }
  return files.sort(function (one, other) { return one.getName() < other.getName() ? -1 : 1; });
}

/**
 * Writes forms.csv: which form is whose, and where it is edited, answered, and answered from
 * Prolific. `memeloc survey import NAME forms.csv` reads it.
 */
function writeList(root, properties, sheets) {
  const lines = ['sheet,form,edit,answer,prolific'];
  sheets.forEach(function (file) {
    const made = properties.getProperty('made:' + file.getName().replace(/\.json$/, ''));
    if (made) {
      const form = JSON.parse(made);
      lines.push([form.sheet, form.id, form.edit, form.answer, form.prolific].join(','));
    }
  });
  const old = root.getFilesByName('forms.csv');
  const text = lines.join('\n') + '\n';
  if (old.hasNext()) {
    old.next().setContent(text);
  } else {
    root.createFile('forms.csv', text, 'text/csv');
  }
}
