"""Citations of the papers and programs that define measures, curves and profiles."""

SHREC_2006 = (
    "Veltkamp, Ruijsenaars, Spagnuolo, van Zwol, ter Haar: SHREC2006, 3D Shape Retrieval Contest. "
    "Utrecht University 2006, section 4"
)
PSB = "Shilane, Min, Kazhdan, Funkhouser: The Princeton Shape Benchmark. Shape Modeling International 2004"
PSB_TABLE = f"{PSB}; its program psbTable"
PSB_PLOT = f"{PSB}; its program psbPlot"
SHREC_2012 = (
    "Li, Godil, Aono et al.: SHREC'12 Track: Generic 3D Shape Retrieval. "
    "Eurographics Workshop on 3D Object Retrieval 2012, evaluation methods"
)
SHREC_2012_F = f"{SHREC_2012}, equation 2"
SHREC_2019 = (
    "Yuan, Abdul-Rashid, Li et al.: SHREC'19 Track: Extended 2D Scene Sketch-Based 3D Scene Retrieval. "
    "Eurographics Workshop on 3D Object Retrieval 2019, evaluation methods"
)
SHREC_2013 = (
    "Li, Lu, Godil et al.: SHREC'13 Track: Large Scale Sketch-Based 3D Shape Retrieval. "
    "Eurographics Workshop on 3D Object Retrieval 2013; its evaluation toolkit, handed on to the scene tracks of 2019"
)
SHREC_2016 = (
    "Savva, Yu, Su et al.: SHREC'16 Track: Large-Scale 3D Shape Retrieval from ShapeNet Core55. "
    "Eurographics Workshop on 3D Object Retrieval 2016; its programs Evaluator.js and Metrics.js of 2016"
)
SHREC_2017 = (
    "Savva, Yu, Su et al.: SHREC'17 Track: Large-Scale 3D Shape Retrieval from ShapeNet Core55. "
    "Eurographics Workshop on 3D Object Retrieval 2017; its program Evaluator.js of 2017-02-23"
)
SHREC_2017_RGBD = (
    "Hua, Truong, Tran et al.: SHREC'17: RGB-D to CAD Retrieval with ObjectNN Dataset. "
    "Eurographics Workshop on 3D Object Retrieval 2017; its programs evaluate.py and metrics.py"
)
SHREC_2021 = (
    "Sipiran, Lazo, Lopez et al.: SHREC 2021: Retrieval of cultural heritage objects. "
    "Computers & Graphics 100, 2021; its program experiments.py"
)
JARVELIN = (
    "Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
    "ACM Transactions on Information Systems 20(4), 2002"
)
TYPKE = (
    "Typke, Veltkamp, Wiering: A measure for evaluating retrieval techniques based on partially ordered ground truth "
    "lists. IEEE International Conference on Multimedia and Expo 2006"
)
TREC_EVAL = "trec_eval, the evaluation program of the Text Retrieval Conference (NIST)"
VAN_RIJSBERGEN = "van Rijsbergen: Information Retrieval, 2nd edition. Butterworths 1979, chapter 7"
GENERALITY_PAPER = (
    "Sebe, Huijsmans, Tian, Gevers: Toward complete performance characterization in content-based retrieval"
)
GENERALITY_COST = f"{GENERALITY_PAPER}, section 3, equation 8"
GENERALITY_E = f"{GENERALITY_PAPER}, section 6"
GENERALITY_PR = f"{GENERALITY_PAPER}, section 3.3"
#: GRiP and GRnP graphs.
GENERALITY = f"{GENERALITY_PAPER}, sections 3.5 and 4.4"
CHAPELLE = (
    "Chapelle, Metzler, Zhang, Grinspan: Expected reciprocal rank for graded relevance. "
    "Conference on Information and Knowledge Management 2009"
)
MOFFAT = (
    "Moffat, Zobel: Rank-biased precision for measurement of retrieval effectiveness. "
    "ACM Transactions on Information Systems 27(1), 2008"
)
BUCKLEY = f"Buckley, Voorhees: Retrieval evaluation with incomplete information. SIGIR 2004; {TREC_EVAL}"
MUSGRAVE = (
    "Musgrave, Belongie, Lim: A metric learning reality check. European Conference on Computer Vision 2020, "
    "section 3.2; the program pytorch-metric-learning"
)
OXFORD = (
    "Philbin, Chum, Isard, Sivic, Zisserman: Object retrieval with large vocabularies and fast spatial matching. "
    "Computer Vision and Pattern Recognition 2007; its program compute_ap.cpp"
)
REVISITED = (
    "Radenović, Iscen, Tolias, Avrithis, Chum: Revisiting Oxford and Paris: Large-scale image retrieval benchmarking. "
    "Computer Vision and Pattern Recognition 2018; its program evaluate.py"
)
ANIMAR = (
    "Le, Nguyen, Le et al.: TextANIMAR: Text-based 3D animal fine-grained retrieval (SHREC 2023). arXiv:2304.06053; "
    "metrics.py, the program that scored its submissions"
)
SHREC_2021_PROTEIN = (
    "Raffo, Fugacci, Biasotti et al.: SHREC 2021: Retrieval and classification of protein surfaces equipped with "
    "physical and chemical properties. Computers & Graphics 99, 2021, pages 1 to 21; its programs psbTable, mainMAP.m "
    "and ADR_DCG_4levels.m"
)
SHREC_2022 = (
    "SHREC'22 Track: Open-Set 3D Object Retrieval using Multi-Modal Representation; utils.py of its program "
    "OS-MN40-Example, which refers to the book View-Based 3-D Object Retrieval"
)
MPEG7 = "MPEG-7, core experiments of its visual part (ISO/IEC 15938-3)"
IR_MEASURES = "ir_measures, a common interface of evaluation programs (MacAvaney, Macdonald, Ounis), ECIR 2022"
GORODKIN = (
    "Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient. "
    "Computational Biology and Chemistry 28(5), 2004"
)
BRODERSEN = (
    "Brodersen, Ong, Stephan, Buhmann: The balanced accuracy and its posterior distribution. "
    "International Conference on Pattern Recognition 2010; balanced_accuracy_score of scikit-learn"
)
MACRO_F1_OF_SCIKIT_LEARN = "f1_score of scikit-learn with average='macro': the mean of F1, not F1 of the means"
